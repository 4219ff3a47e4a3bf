import { describe, expect } from '@jest/globals';
import { fingerprintOf } from '../../lib/contract/flow/fingerprint.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { describePlanOf } from '../../lib/telling/words/plan.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { runScenario } from '../support/run-scenario.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const TIERS = ['free', 'pro', 'internal', 'enterprise'];

/** 300 endpoints in four rings, and two of which nobody has said the tier. */
const FLEET: { name: string; attributes?: Record<string, string> }[] = [
  ...Array.from({ length: 300 }, (_, index) => ({
    name: `web-${index + 1}`,
    attributes: { tier: TIERS[index % 4] ?? '', build: `${index}` },
  })),
  { name: 'aaa' },
  { name: 'bbb', attributes: { build: '7' } },
];

const POLICY = {
  bakeSeconds: 0,
  maxUnavailable: { percent: 100 },
  waves: [
    { where: { tier: 'internal' }, endpoints: 5 },
    { where: { tier: 'internal' } },
    { where: { tier: ['free', 'pro'] }, percent: 10 },
    { where: { tier: ['free', 'pro'] } },
    { where: { tier: 'enterprise' } },
    { percent: 100 },
  ],
} satisfies Partial<RolloutPolicy>;

describe('rings', () => {
  test('are rolled one after the other, and whoever has no known ring comes last', async () => {
    const run = await runScenario({ endpoints: FLEET, policy: POLICY });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const tiers = new Map(FLEET.map(({ name, attributes }) => [name, attributes?.tier ?? 'none']));
    const sizes = run.record?.plan?.waves.map(({ from, to }) => {
      return [to - from, [...new Set(run.rolled.slice(from, to).map((name) => tiers.get(name)))]];
    });
    expect(sizes).toEqual([
      [5, ['internal']],
      [70, ['internal']],
      [15, ['free', 'pro']],
      [135, expect.arrayContaining(['free', 'pro'])],
      [75, ['enterprise']],
      [2, ['none']],
    ]);
    expect(run.rolled.slice(-2)).toEqual(['aaa', 'bbb']);
    const lines = run.record === null ? [] : describePlanOf(run.record);
    expect(lines).toContain('  Last, without tier: 2 (aaa, bbb)');
    expect(lines.find((line) => line.includes('Wave 1'))).toMatch(
      /^ {2}Wave 1: 5 of tier=internal \(web-3, web-7, /,
    );
  });

  test('are frozen with the plan: what an endpoint is later changes nothing', async () => {
    const later = (name: string | null) => (name === 'web-3' ? 'free' : 'internal');
    const run = await runScenario({
      endpoints: FLEET.slice(0, 8),
      policy: POLICY,
      faults: {
        onList: (read, nth) =>
          nth < 3
            ? read()
            : read().map((one) => ({ ...one, attributes: { tier: later(one.name) } })),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual([
      ...['web-3', 'web-7', 'web-1', 'web-2', 'web-5', 'web-6', 'web-4', 'web-8'],
    ]);
    expect(run.record?.plan?.endpoints.map(({ attributes }) => attributes)).toEqual(
      [3, 7, 1, 2, 5, 6, 4, 8].map((nth) => ({ tier: TIERS[(nth - 1) % 4] })),
    );
  });

  const unsaid = FLEET.slice(0, 8).map(({ name }) => ({ name, attributes: { build: '7' } }));

  test('that no endpoint is known to belong to are refused, instead of rolling everything in the last wave', async () => {
    const run = await runScenario({ endpoints: unsaid, policy: POLICY });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'AttributeUnknown' });
    expect(run.outcome.message).toContain('None of the 8 endpoints has the attribute "tier"');
    expect(run.rolled).toEqual([]);
  });

  test('say nothing of a lone endpoint, which is in no order', async () => {
    const run = await runScenario({ endpoints: unsaid.slice(0, 1), policy: POLICY });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('are in the fingerprint, and attributes that no policy names are not', async () => {
    const fingerprint = async (tier: string, build: string, policy: Partial<RolloutPolicy>) => {
      const endpoints = [{ name: 'a', attributes: { tier, build } }, { name: 'b' }];
      const { record } = await runScenario({ endpoints, policy });
      if (!record?.plan) throw new Error('There is no plan.');
      return fingerprintOf(record.plan, { ...WHOLE_POLICY, ...policy });
    };
    const first = await fingerprint('free', '1', POLICY);
    expect(await fingerprint('free', '2', POLICY)).toBe(first);
    expect(await fingerprint('pro', '1', POLICY)).not.toBe(first);
    expect(await fingerprint('free', '1', {})).toBe(await fingerprint('pro', '2', {}));
  });
});

describe('a selection by attributes', () => {
  const selecting = (where: Record<string, string>) => ({
    selection: { names: ['web-*'], ids: [], exclude: ['web-1'], where },
  });

  test('takes of those that are named only who has them, and says who has none', async () => {
    const run = await runScenario({
      endpoints: [...FLEET.slice(0, 8), { name: 'web-9' }],
      policy: selecting({ tier: 'free' }),
    });

    expect(run.rolled).toEqual(['web-5']);
    expect(run.outcome).toMatchObject({
      outcome: 'Succeeded',
      message: expect.stringContaining(
        'Left alone: 7 not selected, 1 without an attribute that the selection asks for',
      ),
    });
  });

  test('that means nobody is an empty scope', async () => {
    const run = await runScenario({
      endpoints: [...FLEET.slice(0, 4), { name: 'web-9' }],
      policy: selecting({ tier: 'intrenal' }),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'EmptyScope' });
    expect(run.outcome.message).toContain('selection.where.tier: "intrenal" matches no endpoint');
    expect(run.outcome.message).toContain('1 without an attribute that the selection asks for');
  });
});

describe('what is protected by its attributes', () => {
  const stopsOf = async (then: string | null, now: string | null) => {
    const of = (tier: string | null) => (tier === null ? {} : { attributes: { tier } });
    const run = await runScenario({
      endpoints: [
        { name: 'a', ...of(then) },
        { name: 'b', attributes: { tier: 'free' } },
        { name: 'c', attributes: { tier: 'free' } },
      ],
      broken: [{ endpoint: 'a', kind: 'stuck' }],
      policy: {
        onFailure: 'stop-old',
        minServing: 0,
        protect: [{ where: { tier: 'enterprise' } }],
      },
      faults: {
        onList: (read, nth) =>
          nth < 3
            ? read()
            : read().map(({ attributes, ...one }) => {
                if (one.name !== 'a') return { ...one, ...(attributes && { attributes }) };
                return { ...one, ...of(now) };
              }),
      },
    });
    return run.stopped;
  };

  testWithStops.each([
    ['then', 'enterprise', 'free'],
    ['now', 'free', 'enterprise'],
    ['for all that anybody knows now', 'free', null],
    ['for all that anybody knew then', null, 'free'],
  ] as const)('is never stopped if it is so %s', async (_, then, now) => {
    expect(await stopsOf(then, now)).toEqual([]);
  });

  testWithStops('is stopped if it was not so, and is not', async () => {
    expect(await stopsOf('free', 'pro')).toEqual(['a']);
  });
});

test('the runtimes of a group have the attributes of the configuration', () => {
  const runtimes = ['a', 'b', 'c', 'd'];
  const tiers: Readonly<Record<string, string>> = { b: 'internal', c: 'free', d: 'internal' };
  const policy = { waves: [...POLICY.waves.slice(1)], maxAtRisk: 4 };
  return onGroupStage(
    {
      runtimes,
      endpoints: 1,
      policy,
      attributesOf: (id) => (tiers[id] ? { tier: tiers[id] } : {}),
    },
    async (stage) => {
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      const { plan } = await stage.ledger.read('release-1');
      expect(plan?.endpoints.map(({ endpointId }) => endpointId)).toEqual(['b', 'd', 'c', 'a']);
      expect(plan?.waves.map(({ where }) => where?.tier)).toEqual([
        'internal',
        ['free', 'pro'],
        undefined,
      ]);
    },
  );
});
