import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { RUNTIME, type Run, runScenario, type Stage } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };

describe('a roll that is refused', () => {
  test.each([
    ['in a wave of one', {}],
    ['in a wave of all', { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } }],
  ])('H20: 400 on the first one, %s: exactly one PUT', async (_wave, policy) => {
    const run = await runScenario({ policy, faults: { onRoll: fail(ErrorName.UpstreamRejected) } });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'UpstreamRejected',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
  });

  test('H09: 409 twice, then accepted', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-02', kind: 'refuse', httpStatus: 409, times: 2 }],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(countOf('endpoint-02', run.rolled)).toBe(3);
  });

  test('H09: 409 for ever: the wave stalls, and the outcome says why', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 409 }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
    expect(run.outcome.message).toContain('endpoint-01: 409 ');
    expect(run.seconds).toBeGreaterThanOrEqual(600);
    expect(run.rolled.length).toBeLessThanOrEqual(16);
  });

  test('H09: 409 because somebody else moved it just before: Superseded', async () => {
    let stage: Stage | undefined;
    const run = await runScenario({
      beside: async (given) => {
        stage = given;
      },
      faults: {
        onRoll: (_carryOut, { endpointId }) => {
          stage?.world.roll(RUNTIME, endpointId, 7);
          return fail(ErrorName.UpstreamConflict)();
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Superseded',
      reason: 'Superseded',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
  });

  test.each([3, 24])('H14: 429 for %i polls is no failure of the endpoint', async (times) => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-02', kind: 'refuse', httpStatus: 429, times }],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(countOf('endpoint-02', run.rolled)).toBe(times + 1);
  });

  test('H14: Retry-After of a roll is waited for in the workflow, and nothing is sent before', async () => {
    const sent: number[] = [];
    const run = await runScenario({
      endpoints: 1,
      faults: {
        onRoll: (carryOut) => {
          sent.push(secondsSinceStart());
          if (sent.length > 1) return carryOut();
          throw new SteprollError(ErrorName.UpstreamThrottled, '429', { retryAfterSeconds: 90 });
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect((sent[1] ?? 0) - (sent[0] ?? 0)).toBeGreaterThanOrEqual(90);
  });

  test.each([ErrorName.UpstreamTransient, ErrorName.UpstreamTimeout])(
    'H29: the service cannot be reached for a minute, %s: no failure of the endpoint',
    async (name) => {
      const run = await runScenario({
        faults: {
          onRoll: (carryOut) => (secondsSinceStart() < 60 ? fail(name)() : carryOut()),
        },
      });

      expect(run.outcome).toMatchObject(SUCCESS);
      expect(run.endpoints.size).toBe(12);
    },
  );

  test('H19: 404 for ever on an endpoint that is listed: fails its wave, and is not created', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 404 }],
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'UpstreamNotFound',
      cleanup: 'none',
    });
    expect(run.rolled).toHaveLength(5);
    expect(run.endpoints.size).toBe(12);
  });

  testWithStops(
    'H20: 400 on a later one: those in mid-roll go on, nothing new is rolled',
    async () => {
      const run = await runScenario({
        broken: [{ endpoint: 'endpoint-05', kind: 'refuse', httpStatus: 400 }],
        policy: { maxUnavailable: { endpoints: 2 } },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'UpstreamRejected',
        cleanup: 'none',
      });
      expect(run.endpoints.get('endpoint-04')).toMatchObject({ liveVersion: 2, status: 'ACTIVE' });
      expect(run.rolled).toEqual(endpointNames(1, 5));
    },
  );
});

describe('a roll without an answer', () => {
  test('H11, A03, X04: carried out: converges, and is not sent again', async () => {
    const run = await runScenario({
      faults: {
        onRoll: (carryOut) => {
          carryOut();
          throw new SteprollError(ErrorName.OutcomeUnknown, 'the connection was reset');
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  testWithStops(
    'H11: never arrives: sent once more after a minute, and not stopped, since no list shows a roll',
    async () => {
      const run = await runScenario({ faults: { onRoll: fail(ErrorName.OutcomeUnknown) } });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'RollNotStarted',
        cleanup: 'kept',
      });
      expect(run.outcome.message).toContain('Not stopped (no list has shown the roll)');
      expect(run.rolled).toEqual(['endpoint-01', 'endpoint-01']);
      expect(secondsBetweenRolls(run)).toBeGreaterThanOrEqual(60);
    },
  );

  test('H08: accepted, and nothing happens: sent once more after a minute', async () => {
    const run = await runScenario({
      faults: {
        onRoll: (carryOut, { nth }) => (nth === 1 && secondsSinceStart() < 1 ? null : carryOut()),
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(['endpoint-01', ...endpointNames(1, 12)]);
    expect(secondsBetweenRolls(run)).toBeGreaterThanOrEqual(60);
  });

  testWithStops.each([
    ['lost', () => fail(ErrorName.OutcomeUnknown)()],
    ['accepted, and nothing happens', () => null],
  ])(
    'H20: %s, and refused for good when it is made once more: not made a third time',
    async (_what, first) => {
      const run = await runScenario({
        endpoints: 2,
        faults: {
          onRoll: (_carryOut, { nth }) =>
            nth === 1 ? first() : fail(ErrorName.UpstreamRejected)(),
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'RollNotStarted' });
      expect(run.rolled).toEqual(['endpoint-01', 'endpoint-01']);
      expect(run.seconds).toBeLessThan(200);
    },
  );

  testWithStops(
    'H08: accepted twice, and nothing ever happens: RollNotStarted long before the deadline',
    async () => {
      const run = await runScenario({ faults: { onRoll: () => null } });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'RollNotStarted',
        cleanup: 'kept',
      });
      expect(run.seconds).toBeLessThan(200);
      expect(run.rolled).toEqual(['endpoint-01', 'endpoint-01']);
      expect(run.stopped).toEqual([]);
    },
  );

  test('an empty answer to a roll is an accepted roll', async () => {
    const run = await runScenario({
      faults: {
        onRoll: (carryOut) => {
          carryOut();
          return null;
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
  });
});

test('H02, H11: an endpoint that was missing for a while is rolled once more when there is room for it again', async () => {
  let isLost = false;
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 90,
    policy: {
      waves: [{ percent: 100 }],
      maxUnavailable: { endpoints: 1 },
      failureThreshold: { endpoints: 1 },
    },
    faults: {
      onList: (read) => {
        const isMissing = isLost && secondsSinceStart() < 50;
        return read().filter(({ name }) => !(isMissing && name === 'endpoint-01'));
      },
      onRoll: (carryOut) => {
        if (isLost) return carryOut();
        isLost = true;
        throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
      },
    },
  });

  expect(run.outcome).toMatchObject(SUCCESS);
  expect(run.rolled).toEqual(['endpoint-01', 'endpoint-02', 'endpoint-01', 'endpoint-03']);
});

describe('a roll function that dies', () => {
  test('A01: after the PUTs, before it could say so: decided from the list', async () => {
    const run = await runScenario({ ledger: (ledger) => dieAtAppend(ledger, 2) });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.states.filter((state) => state === 'Roll batch lost')).toHaveLength(1);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  test('A01: before the PUTs: rolled at the next poll', async () => {
    const run = await runScenario({ ledger: (ledger) => dieAtAppend(ledger, 1) });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.states.filter((state) => state === 'Roll batch lost')).toHaveLength(1);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  test('A01: because its read fails: nothing is written on it, and rolled at the next poll', async () => {
    const run = await runScenario({
      faults: {
        // Two to plan on, the third is the first roll's own.
        onList: (read, nth) => (nth === 3 ? fail(ErrorName.UpstreamTransient)() : read()),
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.states.filter((state) => state === 'Roll batch lost')).toHaveLength(1);
    expect(run.rolled).toEqual(endpointNames(1, 12));
  });

  test('A17: one of several batches: the others are rolled, and this one later', async () => {
    const run = await runScenario({
      endpoints: 350,
      policy: { waves: [{ endpoints: 1 }, { percent: 100 }], maxUnavailable: { percent: 100 } },
      ledger: (ledger) => dieAtAppend(ledger, 4),
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.states.filter((state) => state === 'Roll batch lost')).toHaveLength(1);
    expect(new Set(run.rolled).size).toBe(350);
    expect(run.rolled).toHaveLength(350);
  });
});

function fail(name: ErrorName): () => never {
  return () => {
    throw new SteprollError(name, `PUT failed with ${name}`);
  };
}

function secondsBetweenRolls({ calls }: Run): number {
  const [first = 0, second = 0] = calls
    .filter(({ operation }) => operation === 'roll')
    .map(({ at }) => at);
  return (second - first) / 1000;
}

function countOf(name: string, rolled: readonly string[]): number {
  return rolled.filter((one) => one === name).length;
}

/** The process is gone: Lambda says `Lambda.Unknown`, and the workflow does not try a write again. */
function dieAtAppend(ledger: Ledger, nth: number): Ledger {
  let appends = 0;
  return {
    ...ledger,
    async append(lease, entries) {
      appends += 1;
      if (appends === nth) throw Object.assign(new Error('killed'), { name: 'Lambda.Unknown' });
      await ledger.append(lease, entries);
    },
  };
}
