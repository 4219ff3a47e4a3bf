import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { ServiceFaults } from '../../lib/rehearsal/service.ts';
import { runScenario, type ScenarioResult } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };
const WAVES = { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 0 };
const FOR_EVER = 1e6;

describe('credentials that are refused in mid-rollout', () => {
  test.each([
    ErrorName.UpstreamAuth,
    ErrorName.SecretUnavailable,
    ErrorName.InvalidCredential,
    ErrorName.UpstreamTls,
  ])('H17: %s for 12 s: the rollout waits, and succeeds', async (name) => {
    // The first wave is live, and the second one is about to be rolled.
    for (const from of [2, 21, 27, 40]) {
      const run = await runScenario({
        ...{ endpoints: 2, policy: WAVES },
        faults: refused(name, from, 12),
      });

      expect(run.outcome).toMatchObject(SUCCESS);
      expect(liveVersions(run)).toEqual([2, 2]);
    }
  });

  test('H18: as long as nobody is let in, one roll is tried at a look', async () => {
    const policy = { ...WAVES, waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } };
    const run = await runScenario({
      ...{ policy, rollSeconds: 20 },
      faults: { onRoll: refused(ErrorName.UpstreamAuth, 1, 60).onRoll },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    // The first one alone, a handful that was refused, and then one after the other.
    const tries = run.calls.filter(
      (call) => call.operation === 'roll' && call.answer !== 'accepted',
    );
    const times = tries.map(({ at }) => at);
    expect(times.length - new Set(times).size).toBeLessThan(8);
    expect(new Set(times.slice(8)).size).toBe(times.slice(8).length);
  });

  test('H18: 403 for ever on one endpoint: at the deadline the failure policy follows, and says so', async () => {
    const run = await runScenario({
      ...{ endpoints: 2, policy: { ...WAVES, onFailure: 'roll-back' } },
      broken: [{ endpoint: 'endpoint-02', kind: 'refuse', httpStatus: 403 }],
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'rolledBack',
      message: expect.stringMatching(
        /endpoint-02 is not rolled yet\. The credentials were refused: .*403[\s\S]*Correct them/,
      ),
    });
    expect(liveVersions(run)).toEqual([1, 1]);
    expect(refusedCalls(run)).toBeLessThan(130);
  });

  test('H18: refused for ever, also on the way back: it ends, and says what is not back and why', async () => {
    const { onRoll } = refused(ErrorName.UpstreamAuth, 10, FOR_EVER);
    const run = await runScenario({
      ...{ endpoints: 2, policy: { ...WAVES, onFailure: 'roll-back' } },
      faults: { onRoll },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'incomplete',
      message: expect.stringMatching(/The credentials were refused[\s\S]*not back: endpoint-01/),
    });
    expect(refusedCalls(run)).toBeLessThan(260);
  });

  test('H17: refused on the way back for a while: everything goes back', async () => {
    const run = await runScenario({
      ...{
        endpoints: 2,
        policy: { ...WAVES, onFailure: 'roll-back', progressDeadlineSeconds: 60 },
      },
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      faults: { onRoll: refused(ErrorName.UpstreamAuth, 60, 80).onRoll },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(refusedCalls(run)).toBeGreaterThan(0);
  });

  testWithStops('H17: a stop that nobody lets in is tried again', async () => {
    const run = await runScenario({
      ...{ endpoints: 3, policy: STOPPING },
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      faults: { onStop: refused(ErrorName.UpstreamAuth, 0, 77).onStop },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'stopped' });
    expect(run.seconds).toBeLessThan(90);
  });

  testWithStops(
    'H18: stops that nobody ever lets in end within the deadline, and are told',
    async () => {
      const run = await runScenario({
        ...{ endpoints: 3, policy: STOPPING },
        broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
        faults: { onStop: refused(ErrorName.UpstreamAuth, 0, FOR_EVER).onStop },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        cleanup: 'incomplete',
        message: expect.stringContaining('Not stopped (the stop was refused): endpoint-01.'),
      });
      expect(run.seconds).toBeLessThanOrEqual(130);
      expect(refusedCalls(run)).toBeLessThan(20);
    },
  );
});

const STOPPING = {
  ...WAVES,
  onFailure: 'stop-old',
  minServing: 1,
  progressDeadlineSeconds: 60,
} as const;

/** The service lets nobody in for so many seconds. */
function refused(
  name: ErrorName,
  from: number,
  seconds: number,
): Required<Pick<ServiceFaults, 'onList' | 'onRoll' | 'onStop'>> {
  const guard = <T>(carryOut: () => T): T => {
    const now = secondsSinceStart();
    if (now >= from && now < from + seconds) throw new SteprollError(name, '403 Forbidden');
    return carryOut();
  };
  return { onList: guard, onRoll: guard, onStop: guard };
}

function liveVersions({ endpoints }: ScenarioResult) {
  return [...endpoints.values()].map(({ liveVersion }) => liveVersion);
}

function refusedCalls({ calls }: ScenarioResult): number {
  return calls.filter((call) => 'answer' in call && call.answer === 'UpstreamAuth').length;
}
