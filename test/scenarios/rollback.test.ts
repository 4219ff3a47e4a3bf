import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import type { World } from '../../lib/simulation/world.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { RUNTIME, type Run, runScenario, type Stage } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const ROLL_BACK = { onFailure: 'roll-back' } as const;

describe('a rollout that fails and rolls back', () => {
  test('takes every endpoint that it rolled to its previous version, and stops none', async () => {
    const run = await runScenario({
      policy: ROLL_BACK,
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'rolledBack',
      message: expect.stringContaining('Rolled back: 3 of 3 on their previous versions.'),
    });
    expect([...run.rolledBack].sort()).toEqual(endpointNames(1, 3));
    expect(run.stopped).toEqual([]);
    for (const endpoint of run.endpoints.values()) {
      expect(endpoint).toMatchObject({ targetVersion: 1, liveVersion: 1, status: 'ACTIVE' });
    }
  });

  test('E02: another event for the same version rolls again what went back', async () => {
    const policy = { ...ROLL_BACK, onConflict: 'latest' } as const;
    let again: Run | undefined;
    const run = await runScenario({
      policy,
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      beside: async (stage) => {
        await stage.until(60);
        again = await stage.start('again', { policy });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(again?.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect([...(again?.rolled ?? [])].sort()).toEqual(endpointNames(1, 3));
  });

  test('takes each to its own previous version, the broken ones first', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      input: { version: 9 },
      endpoints: [
        { name: 'a', version: 3 },
        { name: 'b', version: 4 },
        { name: 'c', version: 5 },
      ],
      broken: [{ endpoint: 'b', version: 9, kind: 'stuck' }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.rolledBack[0]).toBe('b');
    const versions = [...run.endpoints].map(([name, { liveVersion }]) => [name, liveVersion]);
    expect(versions).toEqual([
      ['a', 3],
      ['b', 4],
      ['c', 5],
    ]);
  });

  test('takes one that was on its way elsewhere to the version that it served, not to where it went', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, waves: [{ percent: 100 }], allowDowngrade: true },
      endpoints: 2,
      broken: [
        { endpoint: 'endpoint-02', kind: 'stuck' },
        { endpoint: 'endpoint-02', version: 5, kind: 'stuck' },
      ],
      input: { takeOver: true },
      ledger: (ledger, stage) => {
        stage.world.roll(RUNTIME, stage.idOf('endpoint-02'), 5);
        return ledger;
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ targetVersion: 1, liveVersion: 1 });
  });

  test('waves that had not begun are never touched', async () => {
    const run = await runScenario({
      policy: ROLL_BACK,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
    });

    expect([...run.rolled, ...run.rolledBack]).toEqual(['endpoint-01', 'endpoint-01']);
  });

  test('X05: an endpoint that stays broken is reported, and the others go back', async () => {
    const run = await runScenario({
      policy: ROLL_BACK,
      broken: [
        { endpoint: 'endpoint-03', kind: 'fail' },
        { endpoint: 'endpoint-03', version: 1, kind: 'fail' },
      ],
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'EndpointFailed',
      cleanup: 'incomplete',
      message: expect.stringContaining('2 of 3 on their previous versions, not back: endpoint-03'),
    });
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ liveVersion: 1 });
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1 });
    expect(run.stopped).toEqual([]);
  });

  test('a healthy endpoint that breaks on its way back ends the rollback: hold, never stop', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, maxUnavailable: { endpoints: 1 } },
      broken: [
        { endpoint: 'endpoint-03', kind: 'stuck' },
        { endpoint: 'endpoint-01', version: 1, kind: 'fail' },
      ],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'incomplete' });
    expect(run.outcome.message).toContain('not back: endpoint-01, endpoint-02');
    expect(run.outcome.message).toContain('1 of 12 endpoints was on version 2,');
    expect([...run.rolledBack].sort()).toEqual(['endpoint-01', 'endpoint-03']);
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 2 });
    expect(run.stopped).toEqual([]);
  });

  test('an endpoint that was failing before the rollout goes back to where it was, and keeps nobody', async () => {
    const failingOnOne = (one: Endpoint): Endpoint =>
      one.name === 'endpoint-01' && one.liveVersion === 1 ? { ...one, status: 'ERROR' } : one;
    const run = await runScenario({
      endpoints: 4,
      policy: {
        ...ROLL_BACK,
        verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
      },
      faults: { onList: (read) => read().map(failingOnOne) },
      gates: {
        alarm: async () => ({
          verdict: secondsSinceStart() > 400 ? 'fail' : 'pass',
          detail: 'ALARM',
        }),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    for (const endpoint of run.endpoints.values()) expect(endpoint.liveVersion).toBe(1);
  });

  testWithStops(
    'X06: an endpoint that somebody stops meanwhile is theirs, and the others go back',
    async () => {
      const run = await runScenario({
        policy: { ...ROLL_BACK, maxUnavailable: { endpoints: 1 } },
        broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
        beside: async (stage) => {
          await stage.untilSent('roll', 4);
          stage.world.stop('shop', stage.idOf('endpoint-01'));
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
      expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1 });
    },
  );

  test('X06: an endpoint that somebody moves meanwhile is theirs', async () => {
    const run = await runScenario({
      policy: ROLL_BACK,
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      beside: async (stage) => {
        await stage.untilSent('roll', 4);
        stage.world.roll('shop', stage.idOf('endpoint-01'), 7);
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ targetVersion: 7 });
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1 });
  });

  test('H11: a roll back without an answer is decided from the list', async () => {
    const run = await runScenario({
      policy: ROLL_BACK,
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      faults: {
        onRoll: (carryOut, { nth }) => {
          const answer = carryOut();
          if (nth > 1) throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
          return answer;
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect([...run.rolledBack].sort()).toEqual(endpointNames(1, 3));
  });

  test('an endpoint that had no version before is kept, and told with the command by hand', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      endpoints: 2,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      faults: {
        onList: (read, nth) =>
          read().map((one) =>
            nth <= 2 && one.name === 'endpoint-01' ? { ...one, liveVersion: null } : one,
          ),
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      cleanup: 'kept',
      message: expect.stringContaining(
        'Rolled back: 1 of 2 on their previous versions. Kept (no version before): endpoint-01. At its end, 1 of 2 endpoints was on version 1, 1 left as it is (endpoint-01). To roll it by hand: "steproll agent runtime endpoint update shop endpoint-01 --version N".',
      ),
    });
    expect(run.rolledBack).toEqual(['endpoint-02']);
  });

  test('a loss that was tolerated goes back with the others', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, failureThreshold: { endpoints: 1 } },
      broken: [
        { endpoint: 'endpoint-02', kind: 'fail' },
        { endpoint: 'endpoint-04', kind: 'fail' },
        { endpoint: 'endpoint-05', kind: 'fail' },
      ],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.outcome.message).toMatch(/At its end, all 12 endpoints were on version 1\.$/);
    expect(run.rolledBack).toContain('endpoint-02');
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1, status: 'ACTIVE' });
  });

  test('minServing is about stops, and keeps nothing from going back', async () => {
    const run = await runScenario({
      policy: { ...ROLL_BACK, minServing: { percent: 100 } },
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect([...run.rolledBack].sort()).toEqual(endpointNames(1, 3));
  });
});

describe('H06: what was not seen is not broken', () => {
  const AT_ONCE = { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 5 } } as const;

  test.each([
    ['empty', 0],
    ['lacking most of the fleet', 10],
    ['lacking some', 16],
  ])(
    'a list that is %s for some seconds takes nobody back beyond maxUnavailable',
    async (_what, left) => {
      const run = await runScenario({
        endpoints: 30,
        policy: { ...ROLL_BACK, ...AT_ONCE, bakeSeconds: 3600 },
        faults: { onList: (read) => (isWithin(595, 670) ? read().slice(0, left) : read()) },
        beside: (stage) => abortAt(stage, 600),
      });

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
      expect(run.rolledBack).toHaveLength(30);
      expect(mostAtOnce(run)).toBe(5);
    },
  );

  test('what has failed goes back at once, and the others a few at a time', async () => {
    const failing = endpointNames(3, 9);
    const run = await runScenario({
      endpoints: 30,
      policy: { ...ROLL_BACK, ...AT_ONCE, maxUnavailable: { endpoints: 10 } },
      broken: failing.map((endpoint) => ({ endpoint, kind: 'fail' })),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.rolledBack.slice(0, 7)).toEqual(failing);
  });

  test('what has recovered before its way back waits its turn', async () => {
    const failing = endpointNames(1, 8);
    let hasTurned = false;
    const run = await runScenario({
      endpoints: 12,
      policy: {
        ...ROLL_BACK,
        waves: [{ percent: 100 }],
        maxUnavailable: { endpoints: 2 },
        failureThreshold: { endpoints: 7 },
      },
      ledger: (ledger) => ({
        ...ledger,
        async freezeRollback(lease, rollback) {
          hasTurned = true;
          return ledger.freezeRollback(lease, rollback);
        },
      }),
      faults: {
        onList: (read) =>
          read().map((one) =>
            !hasTurned && one.liveVersion === 2 && failing.includes(one.name ?? '')
              ? { ...one, status: 'ERROR' }
              : one,
          ),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(mostAtOnce(run)).toBeLessThanOrEqual(2);
  });
});

test('H14: what the service wants to be waited for is waited for on the way back, too', async () => {
  let third = '';
  let throttledAt = 0;
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 5,
    policy: { ...ROLL_BACK, waves: [{ percent: 100 }] },
    faults: {
      onRoll(carryOut, { version, endpointId }) {
        if (version !== 2 || endpointId !== third) return carryOut();
        throttledAt = scenarioNow();
        throw new SteprollError(ErrorName.UpstreamThrottled, '429', { retryAfterSeconds: 60 });
      },
    },
    ledger: (ledger, stage) => {
      third = stage.idOf('endpoint-03');
      return ledger;
    },
    beside: (stage) => abortAt(stage, 22),
  });

  const [first] = run.calls.filter(isWrite).filter(({ version }) => version === 1);
  expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
  expect(throttledAt).toBeGreaterThan(0);
  expect(throttledAt).toBeLessThan(first?.at ?? 0);
  expect((first?.at ?? 0) - throttledAt).toBeGreaterThanOrEqual(60_000);
});

describe('nobody knows which endpoints are on their way when a rollout turns around', () => {
  const ONE_AT_A_TIME = { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 1 } } as const;

  test('H07: a healthy one that an old list showed elsewhere does not go beside one that is stuck', async () => {
    const run = await runScenario({
      endpoints: 4,
      rollSeconds: 5,
      policy: {
        ...{ ...ROLL_BACK, ...ONE_AT_A_TIME },
        ...{ pollSeconds: 15, maxPollSeconds: 15, progressDeadlineSeconds: 180 },
      },
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      faults: {
        // The last look but one before the deadline.
        onList: (read) =>
          isWithin(200, 215)
            ? read().map((one) => ({ ...one, targetVersion: 1, liveVersion: 1 }))
            : read(),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.rolledBack).toEqual(['endpoint-02', 'endpoint-01']);
  });

  test('H23: a healthy one does not go beside those in mid-roll because a list tells no versions', async () => {
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        ...{ maxUnavailable: { endpoints: 2 }, bakeSeconds: 0 },
        ...{ pollSeconds: 15, maxPollSeconds: 15 },
      },
      faults: {
        onList: (read) =>
          isWithin(38, 80)
            ? read().map((one) => ({ ...one, targetVersion: null, liveVersion: null }))
            : read(),
      },
      beside: (stage) => abortAt(stage, 40),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.rolledBack).toEqual(['endpoint-02', 'endpoint-03', 'endpoint-01']);
  });

  test('H11: a roll that was lost may still be carried out, so for a minute it takes the place of another one', async () => {
    let third = '';
    let first: readonly Endpoint[] = [];
    let oldReads = 0;
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 5,
      policy: {
        ...{ ...ROLL_BACK, ...ONE_AT_A_TIME },
        ...{ maxUnavailable: { endpoints: 2 }, allowDowngrade: true },
      },
      input: { takeOver: true },
      ledger: (ledger, stage) => {
        third = stage.idOf('endpoint-03');
        // Somebody takes it to version 5 while the plan is drawn up.
        stage.world.roll(RUNTIME, third, 5);
        return ledger;
      },
      faults: {
        onRoll(carryOut, { version, endpointId }) {
          if (version !== 2 || endpointId !== third) return carryOut();
          oldReads = 2;
          throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
        },
        onList(read) {
          if (first.length === 0) first = read();
          if (oldReads === 0) return read();
          oldReads -= 1;
          return first;
        },
      },
      beside: (stage) => abortAt(stage, 12),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.rolledBack).toEqual(['endpoint-01', 'endpoint-03', 'endpoint-02']);
  });
});

test('a rollback keeps healthy endpoints serving: at most maxUnavailable of them at once', async () => {
  const run = await runScenario({
    endpoints: 12,
    policy: { ...ROLL_BACK, waves: [{ percent: 100 }], maxUnavailable: { endpoints: 2 } },
    broken: [{ endpoint: 'endpoint-12', kind: 'fail' }],
  });

  expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
  expect(new Set(run.rolledBack).size).toBe(12);
});

function isWithin(from: number, to: number): boolean {
  return secondsSinceStart() >= from && secondsSinceStart() < to;
}

async function abortAt(stage: Stage, seconds: number): Promise<void> {
  await stage.until(seconds);
  const said = { wave: null, onFailure: 'roll-back', by: 'ada', reason: '' } as const;
  await stage.ledger.signal('rollout-1', { kind: 'abort', at: scenarioNow(), ...said });
}

/** Rolls back that were sent in the same moment, at most. */
function mostAtOnce({ calls, record }: Run): number {
  const counts = new Map<number, number>();
  for (const { at, ...call } of calls.filter(isWrite)) {
    if (call.version === record?.request.desiredVersion) continue;
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

test('H09: a service that refuses to roll what is on its way is asked again when that has come to rest', async () => {
  let world: World | undefined;
  const run = await runScenario({
    endpoints: 3,
    broken: [
      { endpoint: 'endpoint-01', kind: 'fail' },
      ...['endpoint-02', 'endpoint-03'].map((endpoint) => ({
        endpoint,
        kind: 'slow',
        rollSeconds: 160,
      })),
    ],
    policy: {
      onFailure: 'roll-back',
      waves: [{ percent: 100 }],
      maxUnavailable: { percent: 100 },
      pollSeconds: 5,
      maxPollSeconds: 5,
      progressDeadlineSeconds: 100,
    },
    ledger: (ledger, stage) => {
      world = stage.world;
      return ledger;
    },
    faults: {
      onRoll: (carryOut, { endpointId }) => {
        const one = world?.read(RUNTIME).find(({ id }) => id === endpointId);
        const isMoving = one?.targetVersion !== one?.liveVersion && one?.status !== 'ERROR';
        if (isMoving) throw new SteprollError(ErrorName.UpstreamConflict, 'It is being updated.');
        return carryOut();
      },
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
});
