import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { metricRule } from '../domain/examples.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const HOUR_MS = 3_600_000;

/** A clock that is off by `offsetMs` from 100 s to 200 s after the start. */
function jumping(offsetMs: number): () => number {
  return () => {
    const seconds = secondsSinceStart();
    return scenarioNow() + (seconds >= 100 && seconds < 200 ? offsetMs : 0);
  };
}

describe.each([HOUR_MS, -HOUR_MS])('X10: a clock that jumps by %i ms and back', (offset) => {
  test.each<[string, Script, string]>([
    ['in mid-roll', { rollSeconds: 150 }, 'Succeeded'],
    ['in a bake', { rollSeconds: 10 }, 'Succeeded'],
    [
      'while an endpoint is stuck',
      { broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }] },
      'Failed',
    ],
  ])('%s neither fails a healthy wave nor saves a broken one', async (_when, script, outcome) => {
    const run = await runScenario({ ...script, endpoints: 3, now: jumping(offset) });

    expect(run.outcome.outcome).toBe(outcome);
  });

  test('is no reason to take the lease over early', async () => {
    const run = await runScenario({
      rollSeconds: 150,
      now: jumping(offset),
      beside: async (stage) => {
        await stage.until(110);
        const other = await stage.start('rollout-2', { now: jumping(30_000) });
        expect(other.outcome).toMatchObject({ reason: 'LeaseHeld' });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});

test.each([HOUR_MS, -HOUR_MS])(
  'X10: a clock that jumps by %i ms and back does not move the deadline',
  async (offset) => {
    const run = await runScenario({
      endpoints: 1,
      rollSeconds: 150,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      now: jumping(offset),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
    expect(run.seconds).toBeLessThan(900);
  },
);

test('L07: a machine that sleeps for eight hours looks first, and judges then', async () => {
  let slept = 0;
  const run = await runScenario({
    endpoints: 2,
    rollSeconds: 100,
    now: () => {
      if (secondsSinceStart() >= 50) slept = 8 * HOUR_MS;
      return scenarioNow() + slept;
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('X10: a roll that got lost while the clock was an hour ahead is made once more within minutes', async () => {
  const run = await runScenario({
    endpoints: 1,
    faults: {
      onRoll: (carryOut, { nth }) => {
        if (nth === 1) throw new SteprollError(ErrorName.OutcomeUnknown, 'connection reset');
        return carryOut();
      },
    },
    now: () => scenarioNow() + (secondsSinceStart() < 10 ? HOUR_MS : 0),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.rolled).toHaveLength(2);
  expect(run.seconds).toBeLessThan(900);
});

test('X10, H14: what a clock that was ahead says about when to ask again is not waited for', async () => {
  let isThrottled = false;
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 5,
    policy: { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 1 } },
    now: () => scenarioNow() + (secondsSinceStart() < 12 ? HOUR_MS : 0),
    faults: {
      onRoll(carryOut) {
        if (isThrottled || secondsSinceStart() < 5) return carryOut();
        isThrottled = true;
        throw new SteprollError(ErrorName.UpstreamThrottled, '429', { retryAfterSeconds: 30 });
      },
    },
  });

  expect(isThrottled).toBe(true);
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('X10: a wave that converged while the clock was an hour ahead does not wait an hour for its metric', async () => {
  const verify = { probe: null, alarms: [], metrics: [metricRule()], approval: null };
  const run = await runScenario({
    endpoints: 1,
    rollSeconds: 5,
    policy: { bakeSeconds: 0, progressDeadlineSeconds: 600, verify },
    now: () => scenarioNow() + (secondsSinceStart() < 31 ? HOUR_MS : 0),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.seconds).toBeLessThan(600);
});
