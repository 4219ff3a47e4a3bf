import { describe, expect } from '@jest/globals';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import { isOpeningState } from '../../lib/domain/rollout/wait.ts';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks as gate } from '../../lib/gates/checks.ts';
import { isList, isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { mortalLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { realGrounds } from '../support/real-grounds.ts';
import { type Run, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// Checks that a rollout, or each of its waves, waits for before it writes.

const YES: CheckAnswer = { verdict: 'pass', detail: 'SUCCEEDED' };
const NO: CheckAnswer = { verdict: 'fail', detail: 'FAILED: tests are red' };
const SILENT: CheckAnswer = { verdict: 'unknown', detail: '502, which is no answer' };
const atWork = (askAgainIn: number): CheckAnswer => ({
  ...{ verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn },
});
const ROLLOUT = { when: 'before-rollout' } as const;
const WAVE = { when: 'before-wave' } as const;

interface Asked extends CheckQuestion {
  readonly at: number;
}

/** Rolls three endpoints in three waves, each with a bake of 120 s, and notes what checks are asked. */
async function roll(
  said: readonly object[],
  say: (asked: Asked) => CheckAnswer,
  { policy, ...script }: Partial<Script> = {},
) {
  const asked: Asked[] = [];
  const checks = gate.schema.parse(
    said.map((one, index) => ({ name: `c${index}`, url: 'https://checks.example.com', ...one })),
  );
  const waves = [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }];
  const run = await runScenario({
    endpoints: 3,
    ...script,
    policy: {
      ...{ waves, bakeSeconds: 120, onFailure: 'roll-back', progressDeadlineSeconds: 300 },
      ...policy,
      verify: { approval: null, checks, ...policy?.verify },
    },
    gates: {
      async check(_, question) {
        const one = { ...question, at: secondsSinceStart() };
        asked.push(one);
        return say(one);
      },
      ...script.gates,
    },
  });
  return { ...run, asked, began: beganAt(run) };
}

/** When the first roll of each wave was sent, in seconds since the start. */
function beganAt({ calls }: Run): number[] {
  const rolls = calls.filter((call) => isWrite(call) && isSent(call) && call.operation === 'roll');
  return rolls.map(({ at }) => (at - START) / 1000);
}

async function abort(stage: Stage, seconds: number) {
  await stage.until(seconds);
  const signal: Signal = {
    ...{ kind: 'abort', at: scenarioNow(), wave: null, by: 'ada', reason: 'wrong version' },
  };
  await stage.ledger.signal('rollout-1', signal);
}

async function pause(stage: Stage, from: number, to: number) {
  await stage.until(from);
  const at = scenarioNow();
  const said = { by: 'ann', reason: 'patching', at };
  await stage.ledger.addHold(
    { id: 'h1', kind: 'pause', scope: {}, ...said, until: at + 86_400_000 },
    at,
  );
  await stage.until(to);
  await stage.ledger.liftHold({ id: 'h1', scope: {} }, { ...said, at: scenarioNow() });
}

const DEATH = { point: 20, error: 'Killed', when: 'before' } as const;

const ENGINES: readonly (readonly [string, () => Grounds])[] = [
  ['the embedded engine', rehearsalGrounds],
  ['Step Functions', realGrounds],
];

describe.each(ENGINES)('in %s', (_, grounds) => {
  test('what has worked for long before a wave is told once, as it answered last', async () => {
    const { record } = await roll(
      [WAVE],
      ({ wave, attempt }) => (wave === 2 && attempt < 20 ? atWork(60) : YES),
      { grounds },
    );

    const started = record?.events.find(
      (event) => event.kind === 'wave-started' && event.wave === 2,
    );
    expect(started).toMatchObject({ gates: { answers: [{ kind: 'check', verdict: 'pass' }] } });
  });

  test('what is asked before a rollout alone brings no look of a bake forward', async () => {
    const policy = { verify: { approval: null, everySeconds: 15 } };
    const without = await roll([], () => YES, { policy });
    const asked = await roll([ROLLOUT], () => YES, { policy });

    const reads = ({ calls }: Pick<Run, 'calls'>) => calls.filter(isList).length;
    expect(reads(asked)).toBe(reads(without));
  });

  test('a rollout begins once its check says yes, and asks it no more', async () => {
    const { outcome, asked, began, record } = await roll(
      [ROLLOUT],
      ({ attempt }) => (attempt < 4 ? atWork(60) : YES),
      { grounds },
    );

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked.map(({ at }) => at)).toEqual([0, 60, 120, 180]);
    expect(began[0]).toBe(180);
    expect(asked[0]).toMatchObject({
      ...{ attempt: 1, when: 'before-rollout', wave: 1, runtimeId: 'shop', desiredVersion: 2 },
      ...{ attemptId: 'rollout-1/1/c0/1', deadline: '2026-01-01T01:00:00.000Z' },
    });
    const about = asked[0]?.endpoints.map(({ name, previousVersion }) => [name, previousVersion]);
    expect(about).toEqual(['01', '02', '03'].map((one) => [`endpoint-${one}`, 1]));
    expect(record?.progress?.looks).toBeLessThan(30);
  });

  test('a version that is put in quarantine meanwhile is not waited for, and its check is asked no more', async () => {
    const { outcome, asked, rolled } = await roll([ROLLOUT], () => atWork(60), {
      grounds,
      async beside(stage) {
        await stage.until(150);
        const at = scenarioNow();
        const scope = { runtimeId: 'shop', version: 2 };
        const said = {
          id: 'q1',
          kind: 'quarantine',
          scope,
          by: 'ann',
          reason: 'it leaks',
        } as const;
        await stage.ledger.addHold({ ...said, at, until: at + 86_400_000 }, at);
      },
    });

    expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'Quarantined' });
    expect(asked.map(({ at }) => at)).toEqual([0, 60, 120]);
    expect(rolled).toEqual([]);
  });

  test('a no before the rollout ends it before it writes', async () => {
    const { outcome, asked, rolled, told } = await roll([ROLLOUT], () => NO, { grounds });

    expect(outcome).toMatchObject({
      ...{ outcome: 'Failed', reason: 'GateFailed', cleanup: 'none' },
      message: expect.stringContaining('check c0: FAILED: tests are red'),
    });
    expect([asked.length, rolled]).toEqual([1, []]);
    expect(told.map(({ kind }) => kind)).toEqual(['ended']);
  });

  test('each wave waits for its check, the first one as well', async () => {
    const { outcome, asked, began } = await roll(
      [WAVE],
      ({ attempt }) => (attempt < 3 ? atWork(300) : YES),
      { grounds },
    );

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked.map(({ wave, attempt }) => [wave, attempt])).toEqual(
      [1, 2, 3].flatMap((wave) => [1, 2, 3].map((attempt) => [wave, attempt])),
    );
    for (const wave of [1, 2, 3]) {
      const [first, second, third] = asked.filter((one) => one.wave === wave);
      const at = (first?.at ?? 0) + 600;
      expect([second?.at, third?.at]).toEqual([at - 300, at]);
      expect(began[wave - 1]).toBe(at);
      expect(first?.endpoints).toMatchObject([{ name: `endpoint-0${wave}`, previousVersion: 1 }]);
    }
  });

  test('a no before a later wave ends the rollout like one in a bake: what was rolled goes back', async () => {
    const { outcome, rolled, rolledBack } = await roll(
      [WAVE],
      ({ wave }) => (wave === 2 ? NO : YES),
      { grounds },
    );

    expect(outcome).toMatchObject({
      ...{ outcome: 'Failed', failure: 'bad', reason: 'GateFailed', cleanup: 'rolledBack' },
      message: expect.stringContaining('Wave 2 of 3'),
    });
    expect([rolled, rolledBack]).toEqual([['endpoint-01'], ['endpoint-01']]);
  });
});

describe('a check before a rollout or a wave', () => {
  test('is asked when everything else would let the wave begin, and before its first roll', async () => {
    const { asked, began, told } = await roll([WAVE], () => YES);

    expect(asked.map(({ wave, at }) => [wave, at])).toEqual(
      began.map((at, index) => [index + 1, at]),
    );
    const converged = told.filter(({ kind }) => kind === 'wave-converged');
    for (const [index, { at }] of converged.slice(0, 2).entries()) {
      expect(asked[index + 1]?.at).toBe((at - START) / 1000 + 120);
    }
  });

  test.each([
    ['at work until its deadline, and then for the progress deadline', atWork(30), 1_000 + 300],
    ['silent until the progress deadline', SILENT, 300],
  ])('is %s: no answer is no yes, and nothing is written', async (_, answer, seconds) => {
    const said = [{ ...ROLLOUT, deadlineSeconds: 1_000 }];
    const run = await roll(said, () => answer);

    expect(run.outcome).toMatchObject({
      ...{ outcome: 'Errored', reason: 'GateUnknown', cleanup: 'none' },
      message: expect.stringContaining('check c0'),
    });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBeGreaterThanOrEqual(seconds);
    expect(run.seconds).toBeLessThan(seconds * 1.25);
    // Until when it may work is said once.
    const deadlines = run.asked.filter(({ at }) => at < 1_000).map(({ deadline }) => deadline);
    if (answer !== SILENT) expect(new Set(deadlines).size).toBe(1);
  });

  test('that gives no answer before a later wave ends the rollout with nothing taken back', async () => {
    const said = [{ ...WAVE, deadlineSeconds: 600 }];
    const { outcome, rolled, rolledBack, seconds, began } = await roll(said, ({ wave }) =>
      wave === 2 ? atWork(60) : YES,
    );

    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect([rolled, rolledBack]).toEqual([['endpoint-01'], []]);
    const since = seconds - (began[0] ?? 0);
    expect(since).toBeGreaterThanOrEqual(120 + 600 + 300);
    expect(since).toBeLessThan(120 + 600 + 300 + 240);
  });

  test.each([ROLLOUT, WAVE])('that only watches holds nothing up: %o', async (when) => {
    const said = [{ ...when, enforce: false }];
    const free = await roll([], () => YES);
    for (const answer of [NO, SILENT, atWork(30)]) {
      const { outcome, began, asked } = await roll(said, () => answer);
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(began).toEqual(free.began);
      expect(asked).toHaveLength(when === ROLLOUT ? 1 : 3);
    }
  });

  test('that only watches and says no would have failed the rollout, which its end tells', async () => {
    const { outcome } = await roll([{ ...ROLLOUT, enforce: false }], () => NO);
    expect(outcome.watched).toEqual([{ gate: 'check c0', wouldHaveFailed: true }]);
  });

  test('is kept with its yes while another one is at work, unless it says for how long', async () => {
    const say = ({ check, attempt }: Asked) => (check === 'c0' || attempt > 10 ? YES : atWork(60));
    const countOf = async (said: object) => {
      const { asked, outcome } = await roll([{ ...ROLLOUT, ...said }, ROLLOUT], say);
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      return asked.filter(({ check }) => check === 'c0').length;
    };
    expect(await countOf({})).toBe(1);
    expect(await countOf({ everySeconds: 200 })).toBe(3);
  });

  test('with another one that takes turns holds nothing up for ever', async () => {
    const said = { ...ROLLOUT, deadlineSeconds: 600, everySeconds: 15 };
    const { outcome, seconds } = await roll([said, said], ({ check, attempt }) =>
      (attempt % 2 === 0) === (check === 'c0') ? atWork(30) : YES,
    );
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(seconds).toBeLessThan(2 * (600 + 300));
  });

  test('is not asked where nothing is to be rolled', async () => {
    const endpoints = [{ name: 'web', version: 2 }];
    const { outcome, asked } = await roll([ROLLOUT, WAVE], () => NO, { endpoints });
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked).toEqual([]);
  });

  test('is not asked on the way back', async () => {
    const alarm = async () =>
      ({ verdict: secondsSinceStart() > 60 ? 'fail' : 'pass', detail: '' }) as const;
    const policy = { verify: { probe: null, metrics: [], approval: null, alarms: ['a'] } };
    const { outcome, asked } = await roll([WAVE], () => YES, { policy, gates: { alarm } });
    expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(asked.map(({ wave }) => wave)).toEqual([1]);
  });

  test('is not skipped by a promotion, which ends the bakes', async () => {
    const promote = async (stage: Stage) => {
      await stage.until(60);
      const said = {
        at: scenarioNow(),
        wave: 0,
        by: 'ada',
        reason: 'hotfix',
        isFull: true,
      } as const;
      await stage.ledger.signal('rollout-1', { kind: 'promote', ...said });
    };
    const { outcome, asked, began } = await roll(
      [{ ...WAVE, deadlineSeconds: 600 }],
      ({ wave }) => (wave === 2 ? atWork(60) : YES),
      { beside: promote, policy: { bakeSeconds: 86_400 } },
    );
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(began).toHaveLength(1);
    expect(asked.filter(({ wave }) => wave === 2).length).toBeGreaterThan(10);
  });
});

describe('a rollout that waits for a check', () => {
  test('says in its record for what', async () => {
    let wait: unknown;
    await roll([ROLLOUT], ({ attempt }) => (attempt < 3 ? atWork(60) : YES), {
      async beside(stage) {
        await stage.until(30);
        ({ wait } = await stage.ledger.read('rollout-1'));
      },
    });
    expect(wait).toMatchObject({
      for: 'check',
      of: expect.stringContaining('check c0: IN_PROGRESS'),
      lookAt: START + 60_000,
      until: null,
    });
  });

  test.each([
    ['its first wave', ROLLOUT, 1, []],
    ['a later wave', WAVE, 2, ['endpoint-01']],
  ])('before %s hears an abort within a look', async (_, when, at, rolled) => {
    const run = await roll([when], ({ wave }) => (wave === at ? atWork(30) : YES), {
      beside: (stage) => abort(stage, 500),
    });
    expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
    expect(run.rolled).toEqual(rolled);
    expect(run.seconds).toBeLessThanOrEqual(561);
  });

  test('an abort that comes while it is asked lets nothing begin', async () => {
    let stage: Stage | undefined;
    const { outcome, record, rolled } = await roll([ROLLOUT], () => YES, {
      gates: {
        async check() {
          if (stage !== undefined) await abort(stage, 0);
          return YES;
        },
      },
      beside: async (here) => {
        stage = here;
      },
    });
    expect(outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
    expect(outcome.message).toContain('Nothing was rolled.');
    expect(rolled).toEqual([]);
    expect(record?.plan).toBeNull();
  });

  test.each([
    ['its first wave', 1],
    ['a later wave', 2],
  ])('before %s is not asked under a pause, and asks once more after it', async (_, wave) => {
    const paused = [400, 7_200] as const;
    const { outcome, asked, began } = await roll(
      [{ ...WAVE, deadlineSeconds: 3_600 }],
      (one) => (one.wave === wave && one.at < 7_200 ? atWork(60) : YES),
      { beside: (stage) => pause(stage, ...paused) },
    );
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const within = asked.filter(({ at }) => at > paused[0] + 61 && at < paused[1]);
    expect(within).toEqual([]);
    // What is asked after it is another question than before.
    expect(new Set(asked.map(({ attemptId }) => attemptId)).size).toBe(asked.length);
    expect(began[wave - 1]).toBeGreaterThanOrEqual(paused[1]);
    expect(asked.some((one) => one.wave === wave && one.at === began[wave - 1])).toBe(true);
  });

  test('writes on a list that was read after the wait', async () => {
    const { calls, began, asked } = await roll([WAVE], ({ attempt }) =>
      attempt < 3 ? atWork(60) : YES,
    );
    for (const at of began) {
      const lists = calls.filter(
        (call) => call.operation === 'list' && call.at <= START + at * 1000,
      );
      expect(lists.at(-1)?.at).toBe(START + at * 1000);
    }
    expect(asked).toHaveLength(9);
  });

  test('goes on with what was answered when its process died meanwhile', async () => {
    const { outcome, asked } = await roll(
      [ROLLOUT],
      ({ attempt }) => (attempt < 6 ? atWork(60) : YES),
      { ledger: (ledger) => mortalLedger(ledger, DEATH), resumesAfter: 3_600 },
    );
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const attempts = asked.map(({ attempt }) => attempt);
    expect(attempts).toEqual(attempts.toSorted((one, other) => one - other));
    expect(attempts.at(-1)).toBe(6);
  });

  test('looks ever rarer, so that a day of it fits into one execution', async () => {
    const said = [{ ...ROLLOUT, deadlineSeconds: 86_400 }];
    const { outcome, states, seconds } = await roll(said, ({ at }) =>
      at > 80_000 ? YES : atWork(1),
    );
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(states.filter(isOpeningState).length).toBeLessThan(400);
    expect(seconds).toBeLessThan(80_000 + 300 + 600);
  });
});
