import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  completePolicy,
  type PartialPolicy,
  partialPolicySchema,
  policySchema,
} from '../../../lib/contract/config/policy.ts';
import { parseInput } from '../../../lib/contract/input/parse-input.ts';
import { PRESET_NAMES, PRESETS } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { waveSizes, waves } from '../../domain/arbitraries.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

/** Where the mistakes of a policy are: the part of each line before the colon. */
function mistakesOf(policy: unknown): string[] {
  try {
    parseInput(policySchema, policy, 'policy');
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: 'InvalidInput' });
    const [, ...lines] = (error as Error).message.split('\n');
    return lines.map((text) => text.trim().split(': ')[0] ?? '');
  }
}

const PROBE = { path: '/healthz', hosts: ['*.shop.example'] };
const WINDOW = { from: '09:00', to: '16:00' };
const FREEZE = { from: '2026-12-18T18:00', to: '2027-01-04T08:00' };
const policyWith = (said: object) => ({ ...WHOLE_POLICY, ...said });

test('the defaults are a policy, and a careful one', () => {
  expect(parseInput(policySchema, WHOLE_POLICY, 'policy')).toEqual(WHOLE_POLICY);
  expect(WHOLE_POLICY).toMatchObject({
    waves: [{ endpoints: 1 }, { percent: 25 }, { percent: 100 }],
    maxUnavailable: { percent: 33 },
    failureThreshold: { endpoints: 0 },
    bakeSeconds: 300,
    progressDeadlineSeconds: 600,
    onFailure: { stuck: 'stop-old', bad: 'roll-back' },
    minServing: { percent: 50 },
    allowDowngrade: false,
    windows: [],
    freezes: [],
    outsideWindow: 'wait',
    onConflict: 'refuse',
  });
});

describe('one mistake', () => {
  test.each<[string, object, string]>([
    [
      'C02: nothing may be unavailable',
      { maxUnavailable: { endpoints: 0 } },
      'maxUnavailable.endpoints',
    ],
    ['windows that bind something else', { windowsBind: 'waves' }, 'windowsBind'],
    [
      'windows of a wave that are never open together with those of the policy',
      {
        ...{ windowsBind: 'rolls', windows: [WINDOW] },
        waves: [{ endpoints: 1 }, { percent: 100, windows: [{ from: '16:00', to: '17:00' }] }],
      },
      'waves[1].windows',
    ],
    [
      'the same of the first wave, whatever they bind',
      { windows: [WINDOW], waves: [{ percent: 100, windows: [{ from: '16:00', to: '17:00' }] }] },
      'waves[0].windows',
    ],
    ['C02: no share', { maxUnavailable: { percent: 0 } }, 'maxUnavailable.percent'],
    ['C02: more than all', { maxUnavailable: { percent: 150 } }, 'maxUnavailable.percent'],
    ['C02: half an endpoint', { maxUnavailable: { endpoints: 0.5 } }, 'maxUnavailable.endpoints'],
    ['C02: a size in words', { maxUnavailable: '33%' }, 'maxUnavailable'],
    ['C03: no waves', { waves: [] }, 'waves'],
    ['C03: the last wave is not everything', { waves: [{ percent: 50 }] }, 'waves[0]'],
    ['C03: the last wave is a count', { waves: [{ endpoints: 1 }, { endpoints: 99 }] }, 'waves[1]'],
    [
      'C03: shares that fall',
      { waves: [{ percent: 50 }, { percent: 25 }, { percent: 100 }] },
      'waves[1]',
    ],
    ['C03: shares that stand still', { waves: [{ percent: 100 }, { percent: 100 }] }, 'waves[1]'],
    [
      'C03: counts that fall',
      { waves: [{ endpoints: 3 }, { endpoints: 2 }, { percent: 100 }] },
      'waves[1]',
    ],
    [
      'C03: a count after a share',
      { waves: [{ percent: 10 }, { endpoints: 50 }, { percent: 100 }] },
      'waves[1]',
    ],
    ['C03: an empty wave', { waves: [{ endpoints: 0 }, { percent: 100 }] }, 'waves[0].endpoints'],
    ['C03: a wave of two kinds', { waves: [{ endpoints: 1, percent: 100 }] }, 'waves[0].percent'],
    ['C03: a wave in words', { waves: ['100%'] }, 'waves[0]'],
    ['C03: names are no everything', { waves: [{ endpoints: 1 }, { names: ['*'] }] }, 'waves[1]'],
    [
      'C03: shares that fall over names',
      { waves: [{ percent: 50 }, { names: ['web-*'] }, { percent: 25 }, { percent: 100 }] },
      'waves[2]',
    ],
    ['C03: a wave of no names', { waves: [{ names: [] }, { percent: 100 }] }, 'waves[0].names'],
    [
      'C03: a wave of an empty name',
      { waves: [{ names: [''] }, { percent: 100 }] },
      'waves[0].names[0]',
    ],
    [
      'a bake of one wave back in time',
      { waves: [{ endpoints: 1, bakeSeconds: -1 }, { percent: 100 }] },
      'waves[0].bakeSeconds',
    ],
    [
      'more lost than a wave has',
      { failureThreshold: { percent: 101 } },
      'failureThreshold.percent',
    ],
    [
      'half an endpoint lost',
      { failureThreshold: { endpoints: 0.5 } },
      'failureThreshold.endpoints',
    ],
    ['fewer than none lost', { failureThreshold: { endpoints: -1 } }, 'failureThreshold.endpoints'],
    ['C05: a hot loop at the longest', { maxPollSeconds: 0 }, 'maxPollSeconds'],
    ['a look once a day', { maxPollSeconds: 86_400 }, 'maxPollSeconds'],
    ['no step at all', { maxVersionStep: 0 }, 'maxVersionStep'],
    ['a step without end', { maxVersionStep: Number.POSITIVE_INFINITY }, 'maxVersionStep'],
    ['a yes or no in words', { allowDowngrade: 'yes' }, 'allowDowngrade'],
    ['C04: an unknown key of the selection', { selection: { name: ['a'] } }, 'selection.name'],
    ['an empty id', { selection: { ids: [''] } }, 'selection.ids[0]'],
    [
      'a probe of a URL',
      { verify: { probe: { ...PROBE, path: 'http://x/' } } },
      'verify.probe.path',
    ],
    ...['*', '*.*', 'web.*', 'example.c*'].map((host): [string, object, string] => [
      `a probe of whatever ${JSON.stringify(host)} is`,
      { verify: { probe: { ...PROBE, hosts: [host] } } },
      'verify.probe.hosts[0]',
    ]),
    ['a probe of no host', { verify: { probe: { ...PROBE, hosts: [] } } }, 'verify.probe.hosts'],
    ['a probe without end', { verify: { probe: { ...PROBE, tries: 99 } } }, 'verify.probe.tries'],
    [
      'an approval that is never waited for',
      { verify: { approval: { timeoutSeconds: 0 } } },
      'verify.approval.timeoutSeconds',
    ],
    [
      'an approval that counts as neither',
      { verify: { approval: { timeoutSeconds: 60, onTimeout: 'wait' } } },
      'verify.approval.onTimeout',
    ],
    [
      'a silence that stands for people',
      { verify: { approval: { timeoutSeconds: 60, count: 2, onTimeout: 'approve' } } },
      'verify.approval.onTimeout',
    ],
    ['C04: an unknown key', { maxUnavaliable: { endpoints: 1 } }, 'maxUnavaliable'],
    [
      'C04: an unknown key further in',
      { statuses: { failed: [], stopped: [], faild: [] } },
      'statuses.faild',
    ],
    ['C05: a hot loop', { pollSeconds: 0 }, 'pollSeconds'],
    ['C05: less than a second', { pollSeconds: 0.2 }, 'pollSeconds'],
    ['C05: reads less often than the deadline', { pollSeconds: 601 }, 'pollSeconds'],
    ['a deadline that never comes', { progressDeadlineSeconds: 1e12 }, 'progressDeadlineSeconds'],
    ['a bake back in time', { bakeSeconds: -1 }, 'bakeSeconds'],
    ['a number in text', { bakeSeconds: '300' }, 'bakeSeconds'],
    ['fewer than none serving', { minServing: -1 }, 'minServing'],
    ['more than all serving', { minServing: { percent: 101 } }, 'minServing.percent'],
    ['a share of serving ones as text', { minServing: '50%' }, 'minServing'],
    ['an unknown failure policy', { onFailure: 'stop-all' }, 'onFailure'],
    ['an empty word to protect', { protect: [''] }, 'protect[0]'],
    ['an empty status word', { statuses: { failed: [''], stopped: [] } }, 'statuses.failed[0]'],
    ['half of the status words', { statuses: { failed: ['ERROR'] } }, 'statuses.stopped'],
    ['a window in words', { windows: ['weekdays'] }, 'windows[0]'],
    ['C04: an unknown key of a window', { windows: [{ ...WINDOW, day: 'mon' }] }, 'windows[0].day'],
    ['C04: an unknown key of a freeze', { freezes: [{ ...FREEZE, why: 'x' }] }, 'freezes[0].why'],
    ['too many windows', { windows: Array(51).fill(WINDOW) }, 'windows'],
    ['too many freezes', { freezes: Array(51).fill(FREEZE) }, 'freezes'],
    ['an unknown way to be outside of a window', { outsideWindow: 'go' }, 'outsideWindow'],
    ['an unknown way to conflict', { onConflict: 'queue' }, 'onConflict'],
    ['null', { waves: null }, 'waves'],
  ])('%s', (_, said, path) => {
    expect(mistakesOf(policyWith(said))).toEqual([path]);
  });

  test('no deadline', () => {
    expect(mistakesOf(policyWith({ progressDeadlineSeconds: 0 }))).toContain(
      'progressDeadlineSeconds',
    );
  });

  test('C04: __proto__ is no way around the checks', () => {
    const policy = JSON.parse(JSON.stringify(WHOLE_POLICY).replace('{', '{"__proto__":{"x":1},'));
    expect(mistakesOf(policy)).toEqual(['__proto__']);
  });
});

test('C02–C05: every mistake is reported at once, with its path', () => {
  const policy = policyWith({
    waves: [{ percent: 50 }, { percent: 25 }],
    maxUnavailable: { percent: 150 },
    pollSeconds: 0,
    onFailure: 'pray',
    maxUnavaliable: 1,
  });
  expect(mistakesOf(policy).toSorted()).toEqual([
    'maxUnavailable.percent',
    'maxUnavaliable',
    'onFailure',
    'pollSeconds',
    'waves[1]',
    'waves[1]',
  ]);
});

test('C03: rising counts, then rising shares up to everything are accepted', () => {
  fc.assert(
    fc.property(waveSizes, (waves) => {
      expect(mistakesOf(policyWith({ waves }))).toEqual([]);
    }),
  );
});

test('C03: with waves by name strewn in, and bakes of their own, they are accepted too', () => {
  fc.assert(
    fc.property(waves, (each) => {
      expect(mistakesOf(policyWith({ waves: each }))).toEqual([]);
    }),
  );
});

test('what is left out of a gate or a selection is filled in', () => {
  const policy = policyWith({
    selection: { names: ['web-*'] },
    verify: { probe: PROBE, approval: { timeoutSeconds: 60 } },
  });
  expect(parseInput(policySchema, policy, 'policy')).toMatchObject({
    selection: { names: ['web-*'], ids: [], exclude: [] },
    verify: {
      probe: { ...PROBE, status: 200, tries: 3, timeoutSeconds: 5 },
      alarms: [],
      approval: { timeoutSeconds: 60, onTimeout: 'reject' },
    },
  });
});

test('what is left out of a window or a freeze is filled in, and reads back as it was written', () => {
  const said = policyWith({ windows: [WINDOW], freezes: [FREEZE, { ...FREEZE, reason: 'rest' }] });
  const policy = parseInput(policySchema, said, 'policy');
  expect(policy).toMatchObject({
    windows: [
      { ...WINDOW, days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], timeZone: 'UTC' },
    ],
    freezes: [
      { ...FREEZE, timeZone: 'UTC' },
      { ...FREEZE, timeZone: 'UTC', reason: 'rest' },
    ],
  });
  const stored = JSON.parse(JSON.stringify(policy));
  expect(parseInput(policySchema, stored, 'policy')).toEqual(policy);
});

test('C08: a policy nested without end is refused', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  expect(mistakesOf(policyWith({ waves: deep }))).not.toEqual([]);
});

describe('a policy in part', () => {
  test('what is left out is as in the defaults, and what is said is as said', () => {
    const said = parseInput(partialPolicySchema, { bakeSeconds: 0, protect: ['a'] }, 'policy');
    expect(completePolicy(said)).toEqual({ ...WHOLE_POLICY, bakeSeconds: 0, protect: ['a'] });
    expect(completePolicy({})).toEqual(WHOLE_POLICY);
    expect(completePolicy({ minServing: undefined })).toEqual(WHOLE_POLICY);
  });

  test('the defaults may be those of a deployment', () => {
    const deployed = { ...WHOLE_POLICY, minServing: 5, bakeSeconds: 60 };
    expect(completePolicy({ bakeSeconds: 1 }, deployed)).toEqual({ ...deployed, bakeSeconds: 1 });
  });

  test('a preset says several things at once, and what is said beside it wins', () => {
    const waves = [{ endpoints: 2 }, { percent: 100 }];
    const said = parseInput(partialPolicySchema, { preset: 'all-at-once', waves }, 'policy');
    const deployed = { ...WHOLE_POLICY, minServing: 5, waves: [{ percent: 100 }] };
    expect(completePolicy(said, deployed)).toEqual({
      ...deployed,
      waves,
      maxUnavailable: { percent: 100 },
    });
    expect(partialPolicySchema.safeParse({ preset: 'yolo' }).success).toBe(false);
  });

  test('every wave bakes as the nearest of those says who say something of it', () => {
    const bake = fc.option(fc.nat(1000), { nil: undefined });
    const sizes = fc.option(waves, { nil: undefined });
    const preset = fc.option(fc.constantFrom(...PRESET_NAMES), { nil: undefined });
    const layer = fc.record({ preset, waves: sizes, bakeSeconds: bake });
    fc.assert(
      fc.property(fc.array(layer, { minLength: 1, maxLength: 4 }), (layers) => {
        const policy = layers.reduce<RolloutPolicy>(
          (farther, { preset, waves, bakeSeconds }) =>
            completePolicy({ preset, waves, bakeSeconds } as PartialPolicy, farther),
          WHOLE_POLICY,
        );
        const saysWaves = layers.findLastIndex(({ preset, waves }) => preset || waves);
        const saysBake = layers.findLastIndex(({ bakeSeconds }) => bakeSeconds !== undefined);
        const { preset, waves: own } = layers[saysWaves] ?? {};
        const said = own ?? (preset ? PRESETS[preset].waves : undefined) ?? WHOLE_POLICY.waves;
        const bakeOfAll = layers[saysBake]?.bakeSeconds ?? WHOLE_POLICY.bakeSeconds;
        const isOverridden = saysBake > saysWaves || (saysBake === saysWaves && own === undefined);
        expect(policy.waves.map((each) => each.bakeSeconds ?? policy.bakeSeconds)).toEqual(
          said.map(({ bakeSeconds }) =>
            saysBake !== -1 && isOverridden ? bakeOfAll : (bakeSeconds ?? bakeOfAll),
          ),
        );
      }),
    );
  });

  test('C04: refuses what the whole policy refuses', () => {
    expect(partialPolicySchema.safeParse({ maxUnavaliable: 1 }).success).toBe(false);
    expect(partialPolicySchema.safeParse({ waves: [] }).success).toBe(false);
  });
});

test('C04: a silence that stands for people is told beside another mistake of the approval', () => {
  const approval = { count: 2, onTimeout: 'approve' };
  expect(mistakesOf(policyWith({ verify: { ...WHOLE_POLICY.verify, approval } }))).toEqual([
    'verify.approval.timeoutSeconds',
    'verify.approval.onTimeout',
  ]);
});
