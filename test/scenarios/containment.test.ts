import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { isList } from '../../lib/rehearsal/calls.ts';
import { endpointName, endpointNames } from '../support/endpoint-names.ts';
import { RUNTIME, runScenario, type Script } from '../support/run-scenario.ts';
import { START, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const STUCK = { endpoint: 'endpoint-02', kind: 'stuck' };

describe('an endpoint that never gets there', () => {
  testWithStops('A07: stalls its wave, is stopped, and nothing else is touched', async () => {
    const run = await runScenario({ broken: [STUCK] });

    expect(run.outcome).toEqual({
      outcome: 'Failed',
      failure: 'stuck',
      reason: 'Stalled',
      cleanup: 'stopped',
      message:
        'Wave 2 of 3 made no progress for 10 min: endpoint-02 is not live on version 2. Stopped: endpoint-02. At its end, 2 of 12 endpoints were on version 2, 9 on version 1, 1 stopped (endpoint-02). To create a new one: "steproll agent runtime endpoint create shop --name NAME --version N".',
    });
    expect(run.stopped).toEqual(['endpoint-02']);
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ status: 'STOPPED', liveVersion: 1 });
    expect(run.endpoints.get('endpoint-03')).toMatchObject({ status: 'ACTIVE', liveVersion: 2 });
    for (const name of endpointNames(4, 12)) {
      expect(run.endpoints.get(name)).toMatchObject({ targetVersion: 1, liveVersion: 1 });
    }
    expect(run.states.at(-1)).toBe('Rollout failed');
  });

  testWithStops('the deadline is acted on within one poll', async () => {
    const run = await runScenario({ broken: [{ ...STUCK, endpoint: 'endpoint-01' }] });

    // Its target is seen at 5 s, which is the last progress.
    expect(run.outcome).toMatchObject({ reason: 'Stalled', cleanup: 'stopped' });
    expect(run.seconds).toBeGreaterThanOrEqual(605);
    expect(run.seconds).toBeLessThanOrEqual(610);
  });

  test('policy hold: nothing is stopped', async () => {
    const run = await runScenario({ broken: [STUCK], policy: { onFailure: 'hold' } });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
    expect(run.stopped).toEqual([]);
    expect(run.states).not.toContain('Stop old endpoints');
  });

  testWithStops('a known failed status ends the wave long before the deadline', async () => {
    const run = await runScenario({ broken: [{ endpoint: 'endpoint-01', kind: 'fail' }] });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'EndpointFailed',
      cleanup: 'stopped',
    });
    expect(run.stopped).toEqual(['endpoint-01']);
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.seconds).toBeLessThan(60);
  });

  testWithStops(
    'H33: an unknown status is no failure: it is waited for until the deadline',
    async () => {
      const run = await runScenario({
        broken: [{ ...STUCK, endpoint: 'endpoint-01' }],
        faults: { onList: (read) => read().map((one) => ({ ...one, status: 'ZOMBIE' })) },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'Stalled',
        cleanup: 'stopped',
      });
      expect(run.seconds).toBeLessThanOrEqual(610);
    },
  );
});

test('a service that says why an endpoint has failed is quoted, in the outcome and to whoever is told', async () => {
  const reason = 'The image does not exist:\nexample/app:2';
  const run = await runScenario({
    broken: [{ endpoint: 'endpoint-01', kind: 'fail', reason }],
    policy: { onFailure: 'hold' },
  });

  const sentence =
    'Wave 1 of 3: endpoint-01 is stuck in a failed state. endpoint-01: The image does not exist: example/app:2.';
  expect(run.outcome).toMatchObject({
    reason: 'EndpointFailed',
    message: expect.stringContaining(sentence),
  });
  for (const kind of ['failing', 'ended']) {
    expect(run.told.find((event) => event.kind === kind)?.message).toContain(sentence);
  }
});

describe('a version that does not stay live', () => {
  testWithStops('H07: seen live once and never again is not converged', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 3 }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'stopped' });
    expect(run.states).not.toContain('Bake');
  });

  testWithStops('H07: live on the old version again within the bake: LiveRegressed', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 60 }],
      policy: { onFailure: 'stop-old' },
    });

    expect(run.outcome).toEqual({
      outcome: 'Failed',
      failure: 'bad',
      reason: 'LiveRegressed',
      cleanup: 'stopped',
      message:
        'Wave 1 of 3: endpoint-01 is no longer healthy on version 2. Stopped: endpoint-01. At its end, 11 of 12 endpoints were on version 1, 1 stopped (endpoint-01). To create a new one: "steproll agent runtime endpoint create shop --name NAME --version N".',
    });
    expect(run.stopped).toEqual(['endpoint-01']);
    expect(run.rolled).toEqual(['endpoint-01']);
  });

  test('unless somebody asked for stops, what was live and is lost goes back', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 60 }],
    });

    expect(run.outcome).toMatchObject({ failure: 'bad', cleanup: 'rolledBack' });
    expect(run.stopped).toEqual([]);
  });

  test('goes back at once when it crashes before a second look, whatever else is in mid-roll', async () => {
    const run = await runScenario({
      endpoints: 4,
      broken: [
        { endpoint: 'endpoint-02', kind: 'crash', afterSeconds: 1 },
        { endpoint: 'endpoint-03', kind: 'stuck' },
      ],
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
    });

    expect(run.outcome).toMatchObject({
      failure: 'bad',
      reason: 'EndpointFailed',
      cleanup: 'rolledBack',
    });
    expect(new Set(run.rolledBack).size).toBe(4);
    // Far below the deadline of the stuck one.
    expect(run.seconds).toBeLessThan(400);
  });

  testWithStops('settles first where stops are asked for, and then counts as bad', async () => {
    const run = await runScenario({
      endpoints: 4,
      broken: [
        { endpoint: 'endpoint-02', kind: 'crash', afterSeconds: 1 },
        { endpoint: 'endpoint-03', kind: 'slow', rollSeconds: 200 },
      ],
      policy: {
        ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
        onFailure: 'stop-old',
      },
    });

    expect(run.outcome).toMatchObject({ failure: 'bad', reason: 'EndpointFailed' });
    expect(run.stopped).not.toContain('endpoint-03');
  });

  testWithStops(
    'H07: an endpoint of an earlier wave that regresses: nothing more is rolled',
    async () => {
      const run = await runScenario({
        endpoints: 8,
        rollSeconds: 60,
        policy: {
          waves: [{ endpoints: 1 }, { percent: 100 }],
          maxUnavailable: { endpoints: 2 },
          bakeSeconds: 0,
          onFailure: 'stop-old',
        },
        // Live from 60 s to 180 s: two more and two more are rolled by then.
        broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 120 }],
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'stopped' });
      expect(run.rolled).toEqual(endpointNames(1, 5));
    },
  );

  test('H07: an endpoint of an earlier wave that regresses is no success', async () => {
    const run = await runScenario({
      // Live at 20 s, its wave is trusted at 325 s, the whole rollout ends after 1,000 s.
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 400 }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'LiveRegressed' });
  });
});

describe('a stop is kept back', () => {
  testWithStops('when it would leave fewer than minServing', async () => {
    const run = await runScenario({
      endpoints: 1,
      broken: [{ ...STUCK, endpoint: 'endpoint-01' }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'kept' });
    expect(run.outcome.message).toContain('Not stopped (too few others serve): endpoint-01.');
    expect(run.stopped).toEqual([]);
  });

  testWithStops('what is in mid-roll serves for certain only when it has arrived', async () => {
    const run = await runScenario({
      endpoints: 4,
      broken: endpointNames(1, 4).map((endpoint) => ({ endpoint, kind: 'stuck' })),
      policy: { ...ALL_AT_ONCE, minServing: 1 },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'kept' });
    expect(run.stopped).toEqual([]);
  });

  testWithStops.each(['PAUSED', 'UNHEALTHY', 'CRASHED', null])(
    'when nobody knows whether the others serve: %s',
    async (status) => {
      const run = await runScenario({
        endpoints: 3,
        broken: [{ ...STUCK, endpoint: 'endpoint-01' }],
        policy: { minServing: 1 },
        faults: {
          onList: (read) =>
            read().map((one) => (one.name === 'endpoint-01' ? one : { ...one, status })),
        },
      });

      expect(run.outcome).toMatchObject({ reason: 'Stalled', cleanup: 'kept' });
      expect(run.outcome.message).toContain('Not stopped (too few others serve): endpoint-01.');
      expect(run.stopped).toEqual([]);
    },
  );

  testWithStops('one bad release after the other: half of the fleet is never stopped', async () => {
    const releases = [2, 3, 4, 5, 6, 7];
    const run = await runScenario({
      endpoints: 6,
      broken: endpointNames(1, 6).flatMap((endpoint) =>
        releases.map((version) => ({ endpoint, version, kind: 'fail' })),
      ),
      beside: async (stage) => {
        for (const version of releases.slice(1)) {
          await stage.until(secondsSinceStart() + 3600);
          await stage.start(`release-${version}`, { input: { version } });
        }
      },
    });

    const ends = [...run.endpoints.values()];
    expect(ends.filter(({ status }) => status === 'STOPPED')).toHaveLength(3);
    expect(ends.filter((one) => one.status !== 'STOPPED' && one.liveVersion === 1)).toHaveLength(3);
  });

  testWithStops.each(['by name', 'by id', 'by a pattern'])(
    'when it is protected, %s',
    async (how) => {
      const id = 'endpoint-02';
      const ways = { 'by name': id, 'by id': await idOf(id), 'by a pattern': 'endpoint-*' };
      const protect = [ways[how as keyof typeof ways]];
      const run = await runScenario({ broken: [STUCK], policy: { protect } });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'kept' });
      expect(run.outcome.message).toContain('Not stopped (protected by the policy): endpoint-02.');
      expect(run.stopped).toEqual([]);
    },
  );

  testWithStops('X08: when the endpoint goes live between the decision and the stop', async () => {
    const { rolledAt, betweenReads } = await timesOf(SLOW_SERVICE);

    const run = await runScenario({
      ...SLOW_SERVICE,
      broken: [{ ...FIRST_STUCK, kind: 'slow', rollSeconds: betweenReads - rolledAt }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
    expect(run.outcome.message).toContain(
      'Not stopped (the version is live there): endpoint-01. At its end, 1 of 2 endpoints was on version 2,',
    );
    expect(run.stopped).toEqual([]);
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ status: 'ACTIVE', liveVersion: 2 });
  });

  testWithStops(
    'when it failed, and the read that is made for its stop shows it rolling again',
    async () => {
      let failures = 0;
      const run = await runScenario({
        broken: [{ endpoint: 'endpoint-01', kind: 'slow', rollSeconds: 300 }],
        faults: {
          onList: (read) =>
            read().map((one) => {
              const isRolling = one.name === 'endpoint-01' && one.targetVersion === 2;
              if (!isRolling || failures >= 2) return one;
              failures += 1;
              return { ...one, status: 'HEALTH_CHECK_FAILED' };
            }),
        },
      });

      expect(run.outcome).toMatchObject({ reason: 'EndpointFailed', cleanup: 'kept' });
      expect(run.outcome.message).toContain('Not stopped (on its way again): endpoint-01.');
      expect(run.stopped).toEqual([]);
      expect(run.endpoints.get('endpoint-01')).toMatchObject({ status: 'ACTIVE', liveVersion: 2 });
    },
  );

  testWithStops(
    'X06: when somebody else moves the endpoint between the decision and the stop',
    async () => {
      const { betweenReads } = await timesOf(SLOW_SERVICE);

      const run = await runScenario({
        ...SLOW_SERVICE,
        beside: async (stage) => {
          await stage.until(betweenReads);
          stage.world.roll(RUNTIME, stage.idOf('endpoint-01'), 7);
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'kept' });
      expect(run.outcome.message).toContain(
        'Not stopped (moved meanwhile, and not by this rollout): endpoint-01.',
      );
      expect(run.stopped).toEqual([]);
    },
  );
});

describe('accepted is no evidence for a stop', () => {
  testWithStops.each(['an empty answer', 'an answer that shows the target'])(
    'a list that stays old for five minutes, and rolls with %s: what went live is kept',
    async (answer) => {
      let cached: { readonly at: number; readonly list: readonly Endpoint[] } | undefined;
      const run = await runScenario({
        endpoints: 3,
        policy: { ...ALL_AT_ONCE, minServing: 0, progressDeadlineSeconds: 200 },
        faults: {
          onList: (read) => {
            const at = secondsSinceStart();
            if (cached === undefined || at - cached.at >= 300) cached = { at, list: read() };
            return cached.list;
          },
          onRoll: (carryOut) => {
            const shown = carryOut();
            return answer === 'an empty answer' ? null : shown;
          },
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
      expect(run.outcome.message).toContain(
        'Not stopped (no list has shown the roll): endpoint-01, endpoint-02, endpoint-03.',
      );
      expect(run.outcome.message).toContain('The list may be an old answer');
      expect(run.stopped).toEqual([]);
      for (const endpoint of run.endpoints.values()) {
        expect(endpoint).toMatchObject({ status: 'ACTIVE', liveVersion: 2 });
      }
    },
  );

  testWithStops(
    'a service that drops rolls and says nothing: the healthy one is kept',
    async () => {
      const run = await runScenario({ faults: { onRoll: () => null } });

      expect(run.outcome).toMatchObject({ reason: 'RollNotStarted', cleanup: 'kept' });
      expect(run.outcome.message).toContain(
        'Not stopped (no list has shown the roll): endpoint-01.',
      );
      expect(run.stopped).toEqual([]);
    },
  );

  testWithStops(
    'one that had failed before the rollout, and whose roll is dropped, is kept',
    async () => {
      const run = await runScenario({
        endpoints: 3,
        policy: { minServing: 0 },
        faults: {
          onList: (read) =>
            read().map((one) => (one.name === 'endpoint-01' ? { ...one, status: 'ERROR' } : one)),
          onRoll: () => null,
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
      expect(run.stopped).toEqual([]);
    },
  );

  testWithStops(
    'one that failed before its wave began, and whose roll is dropped, is kept',
    async () => {
      const run = await runScenario({
        endpoints: 2,
        policy: { waves: [{ endpoints: 1 }, { percent: 100 }], minServing: 0 },
        faults: {
          onList: (read) =>
            read().map((one) =>
              one.name === 'endpoint-02' && secondsSinceStart() > 60
                ? { ...one, status: 'ERROR' }
                : one,
            ),
          onRoll: (carryOut) => (secondsSinceStart() > 60 ? null : carryOut()),
        },
      });

      expect(run.outcome).toMatchObject({ reason: 'EndpointFailed', cleanup: 'kept' });
      expect(run.stopped).toEqual([]);
    },
  );

  testWithStops('what a list showed on its way once is stopped when it hangs', async () => {
    let first: readonly Endpoint[] | undefined;
    const run = await runScenario({
      endpoints: 3,
      broken: [FIRST_STUCK],
      policy: { minServing: 0 },
      faults: {
        onList: (read) => {
          first ??= read();
          return secondsSinceStart() < 30 ? first : read();
        },
        onRoll: (carryOut) => {
          carryOut();
          return null;
        },
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'Stalled', cleanup: 'stopped' });
    expect(run.stopped).toEqual(['endpoint-01']);
  });
});

describe('a stop that fails', () => {
  testWithStops(
    'H12: unknown, and carried out: counts as stopped, and is not sent again',
    async () => {
      const run = await runScenario({
        broken: [STUCK],
        faults: {
          onStop: (carryOut) => {
            carryOut();
            throw unknown();
          },
        },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'Stalled',
        cleanup: 'stopped',
      });
      expect(run.stopped).toEqual(['endpoint-02']);
    },
  );

  testWithStops(
    'H12: unknown once, and not carried out: is sent again after a fresh read',
    async () => {
      const run = await runScenario({
        broken: [STUCK],
        faults: {
          onStop: (carryOut, { nth }) => {
            if (nth === 1) throw unknown();
            carryOut();
          },
        },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'Stalled',
        cleanup: 'stopped',
      });
      expect(run.stopped).toEqual(['endpoint-02', 'endpoint-02']);
    },
  );

  testWithStops('H12: unknown, then the endpoint goes live: no more stop', async () => {
    let stopsSent = 0;
    const run = await runScenario({
      broken: [STUCK],
      faults: {
        onList: (read) => read().map((one) => (stopsSent > 0 ? live(one) : one)),
        onStop: () => {
          stopsSent += 1;
          throw unknown();
        },
      },
    });

    // The stop may still take effect.
    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'incomplete',
    });
    expect(run.stopped).toEqual(['endpoint-02']);
  });

  testWithStops('H12: three times unknown: cleanup is incomplete', async () => {
    const run = await runScenario({
      broken: [STUCK],
      faults: {
        onStop: () => {
          throw unknown();
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'incomplete',
    });
    expect(run.stopped).toEqual(['endpoint-02', 'endpoint-02', 'endpoint-02']);
  });

  testWithStops(
    'the list cannot be read for it: nothing is stopped, and the stop counts as kept',
    async () => {
      let isDown = false;
      const run = await runScenario({
        broken: [STUCK],
        ledger: (ledger) => ({
          ...ledger,
          async saveProgress(lease, progress) {
            await ledger.saveProgress(lease, progress);
            // The deadline: what comes next is the read for the stop.
            isDown = progress.stuckMs >= 600_000;
          },
        }),
        faults: {
          onList: (read) => {
            if (isDown) throw new SteprollError(ErrorName.UpstreamTransient, '502');
            return read();
          },
        },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'Stalled',
        cleanup: 'kept',
      });
      expect(run.stopped).toEqual([]);
    },
  );
});

const FIRST_STUCK = { endpoint: endpointName(1), kind: 'stuck' };
/** A second lies between the read that decides and the one that is made for the stop. */
const SLOW_SERVICE: Script = { endpoints: 2, broken: [FIRST_STUCK], latencyMs: 1000 };
const ALL_AT_ONCE: Script['policy'] = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
};

/** In seconds since the start: when the first roll arrives, and a time between the last two reads. */
async function timesOf(script: Script): Promise<{ rolledAt: number; betweenReads: number }> {
  const { calls, outcome } = await runScenario(script);
  expect(outcome).toMatchObject({ reason: 'Stalled', cleanup: 'stopped' });
  const start = START;
  const [decided = 0, forTheStop = 0] = calls
    .filter(isList)
    .slice(-2)
    .map(({ at }) => at);
  const sentAt = calls.find(({ operation }) => operation === 'roll')?.at ?? 0;
  return {
    rolledAt: (sentAt + (script.latencyMs ?? 0) - start) / 1000,
    betweenReads: ((decided + forTheStop) / 2 - start) / 1000,
  };
}

function unknown(): SteprollError {
  return new SteprollError(ErrorName.OutcomeUnknown, 'the connection was reset');
}

function live<T extends object>(endpoint: T): T & { targetVersion: number; liveVersion: number } {
  return { ...endpoint, targetVersion: 2, liveVersion: 2 };
}

async function idOf(name: string): Promise<string> {
  const { endpoints } = await runScenario({ policy: { bakeSeconds: 0 } });
  return endpoints.get(name)?.id ?? '';
}
