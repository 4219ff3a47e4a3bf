import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { courseOf } from '../../lib/telling/story/course.ts';
import { storyOf } from '../../lib/telling/story/story.ts';
import { describeHappening } from '../../lib/telling/words/happening.ts';
import { viewOf } from '../../lib/telling/words/view.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

/** Every scenario begins on Thursday, 2026-01-01, at midnight in UTC. */
const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3600;
const DAY = 24 * HOUR;
const CLOSES = 15 * 60;
const OPENS = 8 * HOUR;

const MORNING = [{ days: ['thu'], from: '08:00', to: '09:00', timeZone: 'UTC' }] as const;
const WINDOWS = [
  { days: ['thu'], from: '00:00', to: '00:15', timeZone: 'UTC' },
  ...MORNING,
] as const;
/** Its second bake ends when the first window is closed. */
const BOUND = {
  windowsBind: 'rolls',
  windows: WINDOWS,
  bakeSeconds: 500,
} as const satisfies Partial<RolloutPolicy>;
/** The first window closes in the midst of the wave. */
const ONE_WAVE = {
  ...BOUND,
  waves: [{ percent: 100 }],
  maxUnavailable: { endpoints: 1 },
  bakeSeconds: 0,
} as const satisfies Partial<RolloutPolicy>;

const PROBE = {
  probe: {
    ...{ path: '/healthz', status: 200, tries: 1, timeoutSeconds: 5 },
    ...{ hosts: ['*.localhost'], privateNetwork: false },
  },
  approval: null,
};

const secondsOf = (at: number) => (at - START) / 1000;
const sentAt = ({ calls }: Run, version = 2) =>
  calls
    .filter(isWrite)
    .filter(isSent)
    .filter((call) => call.version === version)
    .map(({ at }) => secondsOf(at));
const isOpen = (second: number) => second < CLOSES || (second >= OPENS && second < OPENS + HOUR);

/** The rollout as it is known so many seconds after its start. */
async function runAndRead(script: Script, second: number) {
  const seen: AskedRollout[] = [];
  const run = await runScenario({
    ...script,
    beside: async (stage) => {
      await Promise.all([
        script.beside?.(stage),
        stage.until(second).then(async () => seen.push(await stage.ledger.read('rollout-1'))),
      ]);
    },
  });
  return { run, seen: seen[0] as AskedRollout };
}

function heldFrom([from, to]: readonly [number, number]): NonNullable<Script['beside']> {
  return async ({ until, ledger }) => {
    await until(from);
    const at = scenarioNow();
    const of = { id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' } as const;
    await ledger.addHold({ ...of, at, until: at + 24 * HOUR * 1000 }, at);
    await until(to);
    await ledger.liftHold(
      { id: 'h1', scope: {} },
      { by: 'ann', reason: 'done', at: scenarioNow() },
    );
  };
}

describe('windows that bind rolls', () => {
  test('hold the next wave back until one opens', async () => {
    const run = await runScenario({ policy: BOUND });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const sent = sentAt(run);
    expect(sent).toHaveLength(12);
    expect(sent.filter((second) => !isOpen(second))).toEqual([]);
    // It begins as soon as it may.
    expect(sent[3]).toBe(OPENS);
  });

  test('take few transitions while they are closed', async () => {
    const run = await runScenario({ policy: BOUND });
    const open = await runScenario({ policy: { ...BOUND, windows: [] } });

    const hours = (OPENS - CLOSES) / HOUR;
    expect(run.states.length - open.states.length).toBeLessThan(3 * (60 + hours * 12));
  });

  test('hold back what is left of a wave, and its deadline stands still', async () => {
    const run = await runScenario({ endpoints: 60, policy: ONE_WAVE });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const sent = sentAt(run);
    expect(sent).toHaveLength(60);
    expect(sent.filter((second) => !isOpen(second))).toEqual([]);
  });

  test.each([720, 740, 760])(
    'hold back a roll that was decided while one was open, after a bake of %i s',
    async (bakeSeconds) => {
      const waves = [{ endpoints: 1 }, { percent: 100 }];
      const run = await runScenario({
        policy: { ...BOUND, waves, bakeSeconds },
        latencyMs: 20_000,
      });

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(sentAt(run).filter((second) => !isOpen(second))).toEqual([]);
    },
  );

  test('hold back a roll that is sent again', async () => {
    let isLost = false;
    const run = await runScenario({
      endpoints: 60,
      policy: ONE_WAVE,
      faults: {
        // The last roll before they close is lost.
        onRoll: (carryOut) => {
          if (secondsOf(scenarioNow()) < CLOSES - 40 || isLost) return carryOut();
          isLost = true;
          throw new SteprollError(ErrorName.OutcomeUnknown, 'no answer');
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(sentAt(run).filter((second) => !isOpen(second))).toEqual([]);
  });

  test('let a deadline go on for what was in mid-roll when they closed, and no rollback waits', async () => {
    const run = await runScenario({
      endpoints: 60,
      policy: { ...ONE_WAVE, onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-36', kind: 'stuck' }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    const [first = 0] = sentAt(run, 1);
    expect(isOpen(first)).toBe(false);
    expect(first).toBeLessThan(CLOSES + 900);
  });

  test('let an abort pass, within minutes', async () => {
    const run = await runScenario({
      policy: BOUND,
      beside: async ({ until, ledger }) => {
        await until(4 * HOUR);
        const abort = { kind: 'abort', at: scenarioNow(), wave: null, by: 'ann', reason: 'no' };
        await ledger.signal('rollout-1', { ...abort, onFailure: 'roll-back' });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(sentAt(run, 1)[0]).toBeLessThanOrEqual(4 * HOUR + 300);
  });

  test('let bakes and gates go on, whose no sends back what was rolled', async () => {
    const run = await runScenario({
      policy: {
        ...BOUND,
        onFailure: 'roll-back',
        verify: PROBE,
      },
      gates: {
        probe: async () =>
          secondsOf(scenarioNow()) < 2 * HOUR
            ? { verdict: 'pass', detail: '200' }
            : { verdict: 'fail', detail: '503' },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
    const [first = 0] = sentAt(run, 1);
    expect(first).toBeGreaterThan(2 * HOUR);
    expect(first).toBeLessThan(2 * HOUR + 300);
  });

  test('come after an approval', async () => {
    const policy = {
      ...BOUND,
      waves: [{ endpoints: 1 }, { percent: 100 }],
      bakeSeconds: 1000,
      verify: { approval: { timeoutSeconds: HOUR, onTimeout: 'approve' } },
    } as const;
    const { run, seen } = await runAndRead({ policy }, 4 * HOUR);

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(seen.wait).toMatchObject({ for: 'window', wave: 0, until: START + OPENS * 1000 });
    expect(storyOf(seen, START + 4 * HOUR * 1000).phase.phase).toBe('window');
  });

  test('let a rollout through that says any time', async () => {
    const run = await runScenario({
      policy: { ...BOUND, waves: [{ endpoints: 1 }, { percent: 100, windows: MORNING }] },
      input: { policy: { windows: [], freezes: [] } },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.seconds).toBeLessThan(HOUR);
  });

  test('are told wherever it is told', async () => {
    const { run, seen } = await runAndRead({ policy: BOUND }, 4 * HOUR);

    const opens = '2026-01-01 08:00Z (thu 2026-01-01 08:00 UTC)';
    const waits = `Wave 3 of 3 waits for its window, which opens ${opens}.`;
    const told = storyOf(seen, START + 4 * HOUR * 1000);
    expect(viewOf(told, '', {})).toMatchObject({
      phase: 'window',
      state: expect.stringContaining(waits),
      wait: { for: 'window', until: '2026-01-01T08:00:00.000Z' },
    });
    expect(told.happenings.map(describeHappening)).toContainEqual(expect.stringContaining(waits));
    const { stages } = courseOf(run.record as AskedRollout, START + OPENS * 1000);
    const waiting = stages[1]?.spans.find(({ kind }) => kind === 'waiting');
    expect(waiting?.toMs).toBe(OPENS * 1000);
  });
});

describe('windows of a wave', () => {
  const waves = [{ endpoints: 1 }, { percent: 100, windows: MORNING }] as const;

  test('bind its rolls alone, whatever the others bind', async () => {
    const run = await runScenario({ policy: { waves, bakeSeconds: 60 } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(sentAt(run).slice(0, 2)).toEqual([0, OPENS]);
  });

  test('narrow those of the policy', async () => {
    const morning = { ...MORNING[0], days: ['thu', 'fri'] } as const;
    const windows = [{ ...morning, from: '00:00', to: '08:15' }] as const;
    const run = await runScenario({
      endpoints: 50,
      policy: {
        ...{ windows, windowsBind: 'rolls', bakeSeconds: 60, maxUnavailable: { endpoints: 1 } },
        waves: [{ endpoints: 1 }, { percent: 100, windows: [morning] }],
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const sent = sentAt(run).slice(1);
    expect(sent.filter((second) => second % DAY < OPENS || second % DAY >= OPENS + 900)).toEqual(
      [],
    );
    expect(sent.at(-1)).toBeGreaterThan(DAY);
  });

  test('hold back the roll of a loss that is there again while a later wave is under way', async () => {
    const windows = [{ days: ['thu'], from: '00:00', to: '00:15', timeZone: 'UTC' }, ...MORNING];
    let isBegun = false;
    const run = await runScenario({
      policy: {
        waves: [
          { endpoints: 3, windows },
          { percent: 100, bakeSeconds: 10 * HOUR },
        ] as RolloutPolicy['waves'],
        ...{ failureThreshold: { endpoints: 1 }, maxUnavailable: { percent: 100 } },
      },
      faults: {
        onRoll: (carryOut) => {
          isBegun = true;
          return carryOut();
        },
        onList: (read) => {
          const isGone = isBegun && secondsOf(scenarioNow()) < HOUR;
          return read().filter(({ name }) => !isGone || name !== 'endpoint-03');
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const { endpointId } =
      run.record?.plan?.endpoints.find(({ name }) => name === 'endpoint-03') ?? {};
    const sent = run.calls.filter(isWrite).filter((call) => call.endpointId === endpointId);
    expect(sent.map(({ at }) => secondsOf(at))).toEqual([OPENS]);
  });

  test('of the first wave hold back the start', async () => {
    const run = await runScenario({ policy: { waves: [{ percent: 100, windows: MORNING }] } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.calls[0]?.at).toBe(START + OPENS * 1000);
  });
});

describe('a freeze of a person', () => {
  test('holds back the rolls under way where windows bind rolls, until soon after its end', async () => {
    const beside = heldFrom([200, 2 * HOUR]);
    const run = await runScenario({ policy: { windowsBind: 'rolls' }, beside });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const sent = sentAt(run);
    expect(sent[0]).toBe(0);
    expect(sent[1]).toBeGreaterThanOrEqual(2 * HOUR);
    expect(sent[1]).toBeLessThanOrEqual(2 * HOUR + 300);
  });

  test('lets what is under way go on where they bind the start', async () => {
    const run = await runScenario({ beside: heldFrom([200, 2 * HOUR]) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(sentAt(run)[1]).toBeLessThan(HOUR);
  });
});

test('windows of a group that bind rolls hold back the start of each of its runtimes', () => {
  const runtimes = ['a', 'b', 'c'];
  const policy = {
    ...{ windowsBind: 'rolls', windows: WINDOWS, bakeSeconds: 1_000, maxAtRisk: 3 },
    waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
  } satisfies Partial<RolloutPolicy>;
  return onGroupStage({ runtimes, policy }, async (stage) => {
    const outcome = await stage.createProcess().run('release-1', 2);

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const rollouts = await stage.ledger.list({ limit: 10 });
    const begun = await Promise.all(
      runtimes.map(async (id) => {
        const { rolloutId = '' } = rollouts.find(({ runtimeId }) => runtimeId === id) ?? {};
        const { events } = await stage.ledger.read(rolloutId);
        return secondsOf(events.find(({ kind }) => kind === 'started')?.at ?? 0);
      }),
    );
    expect(begun.filter((second) => !isOpen(second))).toEqual([]);
    expect(begun[0]).toBeLessThan(CLOSES);
    expect(begun[1]).toBeGreaterThanOrEqual(OPENS);
  });
});
