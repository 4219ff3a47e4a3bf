import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { type Run, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** As a process on one machine runs a rollout: it listens while it waits. */
function listeningGrounds(): Grounds {
  const grounds = rehearsalGrounds();
  const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
  return { ...grounds, engine };
}

const LONG_BAKE = { bakeSeconds: 12 * 3600 };
const APPROVAL = { timeoutSeconds: 12 * 3600, onTimeout: 'reject' } as const;
const WITH_APPROVAL = {
  bakeSeconds: 0,
  onFailure: 'hold',
  verify: { probe: null, alarms: [], metrics: [], approval: APPROVAL },
} as const;
const NEWER: Script = { policy: { onConflict: 'latest' }, input: { version: 3 } };

async function say(
  stage: Stage,
  kind: Signal['kind'],
  seconds: number,
  more: Partial<Signal> = {},
) {
  await stage.until(seconds);
  const signal = { kind, at: scenarioNow(), wave: null, by: 'ada', reason: 'no', ...more };
  await stage.ledger.signal('rollout-1', signal);
}

const ABORT_NOW: Signal = { kind: 'abort', at: 0, wave: null, by: 'ada', reason: 'no' };

test('a process that waits to begin hears within 2 s that a freeze was lifted, although an execution has handed over', async () => {
  const freeze = { id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' } as const;
  const run = await runScenario({
    grounds: listeningGrounds,
    executionLimits: { events: 0, seconds: 1_000_000 },
    async beside({ ledger, until }) {
      const at = scenarioNow();
      await ledger.addHold({ ...freeze, at, until: at + 86_400_000 }, at);
      await until(100);
      await ledger.liftHold(freeze, { by: 'ann', reason: 'done', at: scenarioNow() });
    },
  });

  expect(run.states.indexOf('Handed over')).toBeLessThan(run.states.indexOf('Roll batch'));
  const started = run.told.find(({ kind }) => kind === 'started');
  expect(started?.at).toBeLessThanOrEqual(START + 102_000);
});

describe('a process that waits hears within 2 s', () => {
  let stage: Stage | undefined;

  test.each<[string, Script, (stage: Stage, seconds: number) => Promise<unknown>, string]>([
    [
      'an abort in a bake',
      { policy: LONG_BAKE },
      (stage, at) => say(stage, 'abort', at),
      'Aborted',
    ],
    [
      'a newer rollout in a bake',
      { policy: LONG_BAKE },
      async (stage, at) => {
        await stage.until(at);
        await stage.start('rollout-2', { ...NEWER, policy: { ...NEWER.policy, bakeSeconds: 0 } });
      },
      'Superseded',
    ],
    [
      'a rejection',
      { policy: WITH_APPROVAL },
      (stage, at) => say(stage, 'reject', at, { wave: 0, onFailure: 'hold' }),
      'Failed',
    ],
    [
      'an abort while endpoints roll',
      { policy: LONG_BAKE, rollSeconds: 80_000 },
      (stage, at) => say(stage, 'abort', at),
      'Aborted',
    ],
  ])('%s', async (_, script, told, outcome) => {
    for (const at of [501.5, 571.9, 590]) {
      const run = await runScenario({
        endpoints: 2,
        ...script,
        policy: { progressDeadlineSeconds: 3600, maxPollSeconds: 300, ...script.policy },
        grounds: listeningGrounds,
        beside: (stage) => told(stage, at),
      });
      expect(run.outcome.outcome).toBe(outcome);
      expect(run.record?.endedAt).toBeLessThanOrEqual(startOf(run) + at * 1000 + 2_000);
    }
  });

  test('an abort that comes just before endpoints are rolled', async () => {
    const run = await runScenario({
      endpoints: 2,
      policy: { pollSeconds: 30 },
      grounds: listeningGrounds,
      engine: (engine) => (execution) => {
        const { handlers } = execution;
        let told: Promise<void> | undefined;
        const rollBatch = async (parameters: unknown) => {
          told ??= stage?.ledger.signal('rollout-1', ABORT_NOW);
          await told;
          return handlers['Roll batch']?.(parameters);
        };
        return engine({ ...execution, handlers: { ...handlers, 'Roll batch': rollBatch } });
      },
      beside: async (here) => {
        stage = here;
      },
    });
    expect(run.outcome.outcome).toBe('Aborted');
    expect(run.seconds).toBeLessThanOrEqual(2);
  });

  test('an approval', async () => {
    const run = await runScenario({
      endpoints: 2,
      policy: WITH_APPROVAL,
      grounds: listeningGrounds,
      beside: (stage) => say(stage, 'approve', 3000.5, { wave: 0 }),
    });
    const rolls = run.calls.filter(({ operation }) => operation === 'roll');
    expect(rolls[1]?.at).toBeGreaterThan(startOf(run) + 3_000_500);
    expect(rolls[1]?.at).toBeLessThanOrEqual(startOf(run) + 3_002_500);
  });
});

function startOf({ record }: Run): number {
  return record?.startedAt ?? Number.NaN;
}

describe('what a process does to hear', () => {
  test('is one small read a second, and no look more', async () => {
    let asked = 0;
    const script: Script = { endpoints: 2, policy: { bakeSeconds: 1800 } };
    const run = await runScenario({
      ...script,
      grounds: listeningGrounds,
      ledger: (ledger) => ({
        ...ledger,
        hear(of) {
          asked += 1;
          return ledger.hear(of);
        },
      }),
    });
    const deaf = await runScenario(script);
    expect(asked).toBeGreaterThan(run.seconds / 2);
    expect(asked).toBeLessThanOrEqual(run.seconds + 10);
    expect(run.states).toEqual(deaf.states);
    expect(timesOf(run)).toEqual(timesOf(deaf));
  });

  test('a signal that changes nothing brings no look forward', async () => {
    const script: Script = { endpoints: 2, policy: { bakeSeconds: 1800 } };
    // The newer rollout is gone, so nobody gives way to it.
    const beside = (stage: Stage) => say(stage, 'give-way', 900.5, { by: 'gone' });
    const run = await runScenario({ ...script, grounds: listeningGrounds, beside });
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(timesOf(run)).toEqual(timesOf(await runScenario(script)));
  });

  test('a ledger that cannot be read ends no wait', async () => {
    const script: Script = { endpoints: 2, policy: { bakeSeconds: 1800 } };
    const run = await runScenario({
      ...script,
      grounds: listeningGrounds,
      ledger: (ledger) => ({
        ...ledger,
        async hear(of) {
          const isGone = secondsSinceStart() % 60 > 30 && secondsSinceStart() > 60;
          if (isGone) throw new SteprollError(ErrorName.LedgerUnavailable, 'It is away.');
          return ledger.hear(of);
        },
      }),
    });
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(timesOf(run)).toEqual(timesOf(await runScenario(script)));
  });
});

function timesOf(run: Run): number[] {
  return run.calls.map(({ at }) => at - startOf(run));
}

test('X10: a look that comes early moves the clock of the rollout by what has passed, even if the machine’s clock is set back', async () => {
  for (const backMs of [0, 3_600_000]) {
    const run = await runScenario({
      endpoints: 2,
      policy: LONG_BAKE,
      grounds: listeningGrounds,
      now: () => scenarioNow() - (secondsSinceStart() > 700 ? backMs : 0),
      beside: (stage) => say(stage, 'abort', 701.5),
    });
    const watched = run.record?.progress?.clock.watched ?? 0;
    expect(run.outcome.outcome).toBe('Aborted');
    expect(watched).toBeLessThanOrEqual(run.seconds * 1000);
    expect(watched).toBeGreaterThan(run.seconds * 1000 - 5_000);
  }
});

describe('a service that has asked to wait for 200 s', () => {
  /** Two of three are live when it says so. */
  const asked = (onFailure: FailurePolicy): Script => {
    let rolls = 0;
    return {
      endpoints: 3,
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      grounds: listeningGrounds,
      faults: {
        onRoll: (roll) => {
          rolls += 1;
          if (rolls !== 3) return roll();
          throw new SteprollError(ErrorName.UpstreamThrottled, '429', { retryAfterSeconds: 200 });
        },
      },
      beside: (stage) => say(stage, 'abort', 60.5, { onFailure }),
    };
  };
  const writesAfter = (run: Run) =>
    run.calls
      .filter(({ operation, at }) => operation !== 'list' && at > startOf(run) + 60_000)
      .map(({ at }) => (at - startOf(run)) / 1000);

  test('hears an abort that writes nothing within 2 s', async () => {
    const run = await runScenario(asked('hold'));
    expect(run.seconds).toBeLessThanOrEqual(62.5);
  });

  testWithStops.each<FailurePolicy>(['stop-old', 'roll-back'])(
    'gets no write before that, whatever an abort asks for: %s',
    async (onFailure) => {
      const run = await runScenario(asked(onFailure));
      expect(run.outcome.outcome).toBe('Aborted');
      const writes = writesAfter(run);
      expect(writes.length).toBeGreaterThan(0);
      expect(Math.min(...writes)).toBeGreaterThanOrEqual(200);
    },
  );
});
