import { beforeEach, describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { runScenario } from '../support/run-scenario.ts';
import { scenarioService } from '../support/scenario-service.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

/** Errors that the next runs of a step end with instead of running, by the name of its state. */
let errors: Record<string, string[]> = {};
const engine = wrapSteps(async (run, state) => {
  const name = errors[state]?.shift();
  if (name !== undefined) throw Object.assign(new Error('Rate exceeded'), { name });
  return run();
});

beforeEach(() => {
  errors = {};
});

/** What Lambda and Step Functions call a function that crashed, or ran out of time. */
const CRASHES = ['Lambda.Unknown', 'Runtime.ExitError', 'Sandbox.Timedout', 'States.Timeout'];

const STEPS = ['Open rollout', 'Roll batch', 'Look', 'Turn around', 'Stop batch', 'Close rollout'];

describe.each(STEPS)('%s', (step) => {
  // Without stops, rollouts fail by rolling back, too.
  const atAny = step === 'Stop batch' ? testWithStops : test;
  const policyThere = () =>
    step !== 'Turn around' && scenarioService().abilities.stops ? 'stop-old' : 'roll-back';
  const scriptThere = () => ({
    engine,
    policy: { onFailure: policyThere() } as const,
    broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
  });

  atAny.each(CRASHES)('A01: %s once: the end is the same, or says that it is not', async (name) => {
    const script = scriptThere();
    const plain = await runScenario(script);
    errors = { [step]: [name] };
    const run = await runScenario(script);

    expect(errors[step]).toEqual([]);
    expect(new Set(run.rolled)).toEqual(new Set(plain.rolled));
    // Nobody knows what a crashed step has stopped, so no more is.
    const isStop = step === 'Stop batch';
    expect(run.stopped).toEqual(isStop ? [] : plain.stopped);
    const { outcome, reason, cleanup } = plain.outcome;
    expect(run.outcome).toMatchObject({
      ...{ outcome, reason },
      cleanup: isStop ? 'incomplete' : cleanup,
    });
  });

  atAny('A02: throttled by Lambda three times: tried again, and the end is the same', async () => {
    const script = scriptThere();
    const plain = await runScenario(script);
    errors = { [step]: Array.from({ length: 3 }, () => 'Lambda.TooManyRequestsException') };
    const run = await runScenario(script);

    expect(errors[step]).toEqual([]);
    expect(run.outcome).toEqual(plain.outcome);
    expect(new Set(run.rolled)).toEqual(new Set(plain.rolled));
    expect(run.stopped).toEqual(plain.stopped);
  });
});

/** With waits that are neither long nor short these take 10.5 minutes. */
const TEN_MINUTES = Array.from({ length: 25 }, () => 'Lambda.TooManyRequestsException');

test.each(STEPS.slice(0, 3))(
  'A02: %s, throttled for ten minutes: the rollout goes on',
  async (step) => {
    errors = { [step]: [...TEN_MINUTES] };
    const { outcome, seconds } = await runScenario({ endpoints: 2, engine });

    expect(errors[step]).toEqual([]);
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(seconds).toBeGreaterThan(600);
  },
);

test.each([
  [300, 'LeaseHeld'],
  [420, 'Succeeded'],
])(
  'A02: a newer rollout %i s after the last renewal, while a look is throttled: %s',
  async (after, newer) => {
    errors = { Look: [...TEN_MINUTES] };
    let before = 0;
    let ofOlder = () => 0;
    const run = await runScenario({
      engine,
      beside: async (stage) => {
        ofOlder = () =>
          stage.calls.filter((call) => call.rolloutId === 'rollout-1' && call.operation === 'roll')
            .length;
        await stage.until(after);
        before = ofOlder();
        const next = await stage.start('rollout-2');
        expect([next.outcome.outcome, next.outcome.reason]).toContain(newer);
      },
    });

    const isTaken = newer === 'Succeeded';
    expect(errors.Look).toEqual([]);
    expect(run.outcome).toMatchObject(
      isTaken ? { outcome: 'Errored', reason: 'LeaseLost' } : { outcome: 'Succeeded' },
    );
    expect(before).toBeGreaterThan(0);
    if (isTaken) expect(ofOlder()).toBe(before);
  },
);

test.each([
  ['Lambda.Unknown', 6],
  ['Runtime.ExitError', 6],
  ['Sandbox.Timedout', 1],
  ['States.Timeout', 1],
])('%s, %i times, while the rollout is closed: it is closed', async (name, times) => {
  errors = { 'Close rollout': Array.from({ length: times }, () => name) };
  const { outcome, record } = await runScenario({ endpoints: 2, engine });

  expect(errors['Close rollout']).toEqual([]);
  expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(record?.outcome).toEqual(outcome);
});

test('A13: a ledger that is throttled while the rollout is closed: one outcome, and the lease is given back', async () => {
  let failures = 2;
  const run = await runScenario({
    endpoints: 2,
    ledger: (ledger): Ledger => ({
      ...ledger,
      async close(...args) {
        failures -= 1;
        if (failures >= 0) throw new SteprollError(ErrorName.LedgerUnavailable, 'throttled');
        return ledger.close(...args);
      },
    }),
    beside: async (stage) => {
      await stage.until(7200);
      const next = await stage.start('rollout-2');
      expect(next.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    },
  });

  expect(failures).toBeLessThan(0);
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});
