import { describe, expect, test } from '@jest/globals';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import { estimateRollout } from '../../lib/domain/planning/estimate.ts';
import { planRollout } from '../../lib/domain/planning/plan-rollout.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { type Faults, type GateFault, NO_FAULTS } from '../../lib/rehearsal/faults.ts';
import { rehearse } from '../../lib/rehearsal/rehearse.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';
import { metricRule } from '../domain/examples.ts';

const ROLL_SECONDS = 60;
const NAMES = Array.from(
  { length: 12 },
  (_, index) => `endpoint-${String(index + 1).padStart(2, '0')}`,
);
const PROBE = {
  path: '/healthz',
  status: 200,
  tries: 1,
  timeoutSeconds: 5,
  hosts: ['*.localhost'],
  privateNetwork: false,
};
const [FIRST = '', SECOND = ''] = NAMES;
const LAST = NAMES.at(-1) ?? '';

const scenario = parseScenario({
  runtimes: [{ id: 'shop', version: 1, rollSeconds: ROLL_SECONDS, endpoints: NAMES.length }],
});

function rehearseWith(
  faults: Partial<Faults>,
  policy: Partial<RolloutPolicy> = {},
  seed = 1,
  fleet = scenario,
) {
  const rehearsal = {
    scenario: fleet,
    runtimeId: 'shop',
    version: 2,
    policy: { ...DEFAULT_POLICY, ...policy },
    endpointUrl: 'http://127.0.0.1:8080',
    startsAt: Date.UTC(2026, 0, 1),
  };
  return rehearse(rehearsal, { ...NO_FAULTS, ...faults }, seed);
}

/** When the first of these writes was sent, in milliseconds since the Unix epoch. */
function sentTo(record: AskedRollout | null, wanted: string): number {
  return record?.journal.find(({ operation }) => operation === wanted)?.at ?? Number.NaN;
}

function gateFault(said: Partial<GateFault>): GateFault {
  return { kind: 'red', endpoint: null, fromSecond: 0, seconds: 100_000, bySeconds: 0, ...said };
}

test('without faults it takes what the plan says, to the second and to the call', async () => {
  const plan = planRollout(
    createWorld(scenario, () => 0).read('shop'),
    { runtimeId: 'shop', desiredVersion: 2 },
    DEFAULT_POLICY,
    REST_ABILITIES,
  );
  const estimate = estimateRollout(plan, DEFAULT_POLICY, ROLL_SECONDS);

  const { outcome, seconds, calls, toll } = await rehearseWith({});

  expect(outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' });
  expect(seconds).toBe(estimate.seconds);
  const { rolls, listReads, transitions, lambdaCalls } = estimate;
  expect(calls).toEqual({ rolls, stops: 0, listReads, transitions, lambdaCalls });
  expect(toll).toEqual({ mostInMidRoll: 3, fewestServing: 9, badVersion: null });
});

test('the same faults and the same seed make the same rollout', async () => {
  const faults: Partial<Faults> = {
    latencyMs: 700,
    lists: [{ kind: 'UpstreamTimeout', fromSecond: 30, seconds: 40 }],
    death: { point: 30, error: 'Lambda.Unknown', when: 'after', resumesAfterSeconds: 60 },
  };

  expect(await rehearseWith(faults, {}, 7)).toEqual(await rehearseWith(faults, {}, 7));
});

describe('a bad version', () => {
  const bad = { endpoints: NAMES, afterSeconds: 100, shows: 'crash' } as const;

  test('that crashes in the bake is taken back, and its time is counted from the crash', async () => {
    const { outcome, rolledBack, record, toll } = await rehearseWith(
      { badVersion: bad },
      { onFailure: 'roll-back' },
    );

    expect(outcome).toMatchObject({ reason: 'LiveRegressed', cleanup: 'rolledBack' });
    expect(rolledBack).toBe(1);
    const crashedAt = sentTo(record, 'roll') + (ROLL_SECONDS + 100) * 1000;
    const sentBackAfter = (sentTo(record, 'roll-back') - crashedAt) / 1000;
    expect(toll.badVersion).toEqual({
      badFor: sentBackAfter + ROLL_SECONDS,
      seenAfter: expect.any(Number),
      sentBackAfter,
      liveAtEnd: 0,
      isLiveThoughSeen: false,
    });
    expect(toll.badVersion?.seenAfter).toBeLessThanOrEqual(sentBackAfter);
  });

  test('that nobody takes back is still live at the end, so it is bad without an end', async () => {
    const { toll } = await rehearseWith({ badVersion: bad }, { onFailure: 'hold' });

    expect(toll.badVersion).toMatchObject({
      badFor: null,
      sentBackAfter: null,
      liveAtEnd: 1,
      isLiveThoughSeen: true,
    });
  });

  test('that shows only after the end is live, and nobody could have seen it', async () => {
    const { outcome, toll } = await rehearseWith({ badVersion: { ...bad, afterSeconds: 100_000 } });

    expect(outcome.outcome).toBe('Succeeded');
    expect(toll.badVersion).toEqual({
      badFor: null,
      seenAfter: null,
      sentBackAfter: null,
      liveAtEnd: NAMES.length,
      isLiveThoughSeen: false,
    });
  });

  test.each([
    [{ afterSeconds: 200, silentForSeconds: 0 }, true],
    [{ afterSeconds: 260, silentForSeconds: 0 }, false],
    [{ afterSeconds: 200, silentForSeconds: 100_000 }, false],
  ])('of one endpoint at the end of the last bake (%j) could be seen: %s', async (how, isSeen) => {
    const { afterSeconds, silentForSeconds } = how;
    const badVersion = { endpoints: [LAST], afterSeconds, shows: 'gates' } as const;
    const gates = [gateFault({ kind: 'silent', seconds: silentForSeconds })];

    const { toll } = await rehearseWith({ badVersion, gates });

    expect(toll.badVersion).toMatchObject({ liveAtEnd: 1, isLiveThoughSeen: isSeen });
  });

  test('is not live where the version was live before', async () => {
    const [first, ...others] = NAMES.map((name) => ({ name }));
    const mixed = parseScenario({
      runtimes: [
        {
          id: 'shop',
          version: 1,
          rollSeconds: ROLL_SECONDS,
          endpoints: [{ ...first, version: 2 }, ...others],
        },
      ],
    });

    const { toll } = await rehearseWith({ badVersion: bad }, { onFailure: 'hold' }, 1, mixed);

    expect(toll.badVersion?.liveAtEnd).toBe(1);
  });

  test.each([
    ['an alarm', { alarms: ['errors'] }],
    ['a metric of each endpoint', { metrics: [metricRule()] }],
    ['a metric of the runtime', { metrics: [metricRule({ dimensions: {} })] }],
    ['a probe', { probe: { ...PROBE, status: 204 } }],
  ])('that only gates show is found by %s and not without one', async (_, gate) => {
    const badVersion = { ...bad, shows: 'gates' } as const;
    const verify = { ...DEFAULT_POLICY.verify, ...gate };

    const watched = await rehearseWith({ badVersion }, { verify });
    const unwatched = await rehearseWith({ badVersion });

    expect(watched.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
    expect(unwatched.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(unwatched.toll.badVersion?.liveAtEnd).toBe(NAMES.length);
  });
});

test.each([
  [
    'fails the rollout of a good version when it is red at two looks of a bake',
    { seconds: 200 },
    'GateFailed',
  ],
  ['does nothing when it is red only before the first wave is there', { seconds: 10 }, 'Converged'],
  ['does nothing when nobody asks it', { endpoint: LAST, seconds: 900 }, 'Converged'],
] as const)('a gate %s', async (_, said, reason) => {
  const verify = { ...DEFAULT_POLICY.verify, probe: PROBE };

  const { outcome } = await rehearseWith({ gates: [gateFault(said)] }, { verify });

  expect(outcome.reason).toBe(reason);
});

test('the sign of a bad version is late when its gate is', async () => {
  const badVersion = { endpoints: [LAST], afterSeconds: 200, shows: 'gates' } as const;
  const late = gateFault({ kind: 'late', endpoint: LAST, bySeconds: 60 });

  const { toll } = await rehearseWith({ badVersion, gates: [late] });

  expect(toll.badVersion).toMatchObject({ liveAtEnd: 1, isLiveThoughSeen: false });
});

test('an endpoint that gets stuck is stopped', async () => {
  const { outcome, stopped, calls } = await rehearseWith({
    endpoints: [{ kind: 'stuck', endpoint: FIRST, version: 2, afterReplicas: 1 }],
  });

  expect(outcome).toMatchObject({ reason: 'Stalled', cleanup: 'stopped' });
  expect(stopped).toBe(1);
  expect(calls.stops).toBe(1);
});

test('rolls that take longer make the rollout longer', async () => {
  const { seconds } = await rehearseWith({ slowness: NAMES.map(() => 2) });

  expect(seconds).toBeGreaterThan((await rehearseWith({})).seconds + 4 * ROLL_SECONDS);
});

test('a process that is killed is resumed, and the rollout ends as it would have', async () => {
  const { outcome, seconds } = await rehearseWith({
    death: { point: 60, error: 'Killed', when: 'after', resumesAfterSeconds: 900 },
  });

  expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(seconds).toBeGreaterThan((await rehearseWith({})).seconds + 800);
});

test('somebody else who moves an endpoint supersedes the rollout', async () => {
  const { outcome } = await rehearseWith({
    others: [{ atSecond: 20, endpoint: FIRST, version: 5 }],
  });

  expect(outcome).toMatchObject({ outcome: 'Superseded' });
});

test('a write whose answer is lost is told as one, and sent again', async () => {
  const { outcome, calls } = await rehearseWith({
    writes: [{ operation: 'roll', endpoint: SECOND, nth: 1, kind: 'lost', seconds: 0 }],
  });

  expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(calls.rolls).toBe(NAMES.length + 1);
});

describe('an approval', () => {
  const verify = {
    ...DEFAULT_POLICY.verify,
    approval: { timeoutSeconds: 3600, onTimeout: 'reject' },
  } as const;

  test('is given after some time', async () => {
    const { outcome, seconds } = await rehearseWith({ approvesAfterSeconds: 600 }, { verify });

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(seconds).toBeGreaterThan((await rehearseWith({})).seconds + 2 * 600);
  });

  test('that nobody gives runs out', async () => {
    const { outcome } = await rehearseWith({ approvesAfterSeconds: null }, { verify });

    expect(outcome).toMatchObject({ outcome: 'Failed' });
  });
});

test('a rollout that is refused is told, too', async () => {
  const { outcome, calls } = await rehearseWith(
    {},
    { selection: { names: ['api-*'], ids: [], exclude: [] } },
  );

  expect(outcome).toMatchObject({ reason: 'EmptyScope' });
  expect(calls.rolls).toBe(0);
});
