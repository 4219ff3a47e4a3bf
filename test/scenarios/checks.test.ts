import { describe, expect } from '@jest/globals';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks as gate } from '../../lib/gates/checks.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const YES: CheckAnswer = { verdict: 'pass', detail: 'SUCCEEDED' };
const NO: CheckAnswer = { verdict: 'fail', detail: 'FAILED: score 0.2' };
const SILENT: CheckAnswer = { verdict: 'unknown', detail: '502, which is no answer' };
const atWork = (askAgainIn: number): CheckAnswer => ({
  ...{ verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn },
});

interface Asked extends CheckQuestion {
  readonly at: number;
}

/** Rolls two endpoints, one after the other, with a bake of 120 s, and notes what checks are asked. */
async function roll(
  said: readonly object[],
  say: (asked: Asked) => CheckAnswer,
  { policy, ...script }: Partial<Script> = {},
) {
  const asked: Asked[] = [];
  const checks = gate.schema.parse(
    said.map((one, index) => ({ name: `c${index}`, url: 'https://checks.example.com', ...one })),
  );
  const run = await runScenario({
    endpoints: 2,
    ...script,
    policy: {
      ...{ waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 120, onFailure: 'roll-back' },
      ...policy,
      verify: { approval: null, checks, ...policy?.verify },
    },
    gates: {
      async check(_, question) {
        const one = { ...question, at: secondsSinceStart() };
        asked.push(one);
        return say(one);
      },
    },
  });
  const converged = run.told
    .filter(({ kind }) => kind === 'wave-converged')
    .map(({ at }) => (at - START) / 1000);
  return { ...run, asked, converged };
}

describe('a check', () => {
  test('is asked from the convergence of a wave on, and at the end of its bake', async () => {
    const { outcome, asked, converged } = await roll([{}], () => YES);

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const ofWave = (wave: number) =>
      asked.filter((one) => one.wave === wave && one.at >= (converged[wave - 1] ?? 0));
    for (const wave of [1, 2]) {
      const [first] = ofWave(wave);
      expect(first).toMatchObject({ at: converged[wave - 1], when: 'bake' });
      const end = ofWave(wave).find(({ when }) => when === 'bake-end');
      expect(end?.at).toBe((converged[wave - 1] ?? 0) + 120);
    }
    expect(asked[0]).toMatchObject({
      ...{ check: 'c0', runtimeId: 'shop', desiredVersion: 2, attempt: 1 },
      endpoints: [{ name: 'endpoint-01', previousVersion: 1 }],
    });
  });

  test('has a new id for each attempt, and counts them for each wave', async () => {
    const { asked } = await roll([{}], () => YES);

    expect(new Set(asked.map(({ attemptId }) => attemptId)).size).toBe(asked.length);
    for (const wave of [1, 2]) {
      const counts = asked.filter((one) => one.wave === wave).map(({ attempt }) => attempt);
      expect(counts).toEqual(counts.map((_, index) => index + 1));
    }
  });

  test('that only watches and is at work does not hold a wave up', async () => {
    const said = { enforce: false, deadlineSeconds: 3_600 };
    const watching = await roll([said], () => atWork(30));
    const free = await roll([{}], () => YES);

    expect(watching.asked.length).toBeGreaterThan(0);
    expect(watching.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(watching.converged).toEqual(free.converged);
  });

  test('for the end of the bake is not asked before', async () => {
    const { outcome, asked, converged } = await roll([{ when: 'bake-end' }], () => YES);

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked.map(({ at }) => at)).toEqual(converged.map((at) => at + 120));
  });

  test('is not asked in its warm-up, and a yes stands for everySeconds, but not beyond the bake', async () => {
    const said = [{ warmUpSeconds: 60, everySeconds: 600 }];
    const { outcome, asked, converged } = await roll(said, () => YES);

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const first = asked.filter(({ wave }) => wave === 1).map(({ at }) => at - (converged[0] ?? 0));
    expect(first).toEqual([60, 120]);
  });

  test('that says no twice ends the rollout within the bake, and the endpoint goes back', async () => {
    const { outcome, asked, converged } = await roll([{}], () => NO);

    expect(outcome).toMatchObject({
      ...{ outcome: 'Failed', reason: 'GateFailed', cleanup: 'rolledBack' },
      message: expect.stringContaining('check c0: FAILED: score 0.2'),
    });
    expect(asked.map(({ at }) => at - (converged[0] ?? 0))).toEqual([0, 5]);
  });

  test('that flaps for one look ends nothing', async () => {
    const { outcome } = await roll([{}], ({ attempt }) => (attempt === 2 ? NO : YES));
    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('that never answers is no yes: the rollout ends as Errored after the progress deadline', async () => {
    const { outcome, rolled, stopped } = await roll([{}], () => SILENT);
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect([rolled, stopped]).toEqual([['endpoint-01'], []]);
  });
});

describe('a check that is at work', () => {
  test('prolongs the bake beyond the progress deadline, and is asked again when it said', async () => {
    const { outcome, asked, converged, record } = await roll(
      [{ when: 'bake-end' }],
      ({ wave, attempt }) => (wave === 1 && attempt < 10 ? atWork(200) : YES),
    );

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const first = asked.filter(({ wave }) => wave === 1).map(({ at }) => at - (converged[0] ?? 0));
    expect(first).toHaveLength(10);
    for (const [index, at] of first.entries()) expect(at).toBe(120 + index * 200);
    expect(first.at(-1)).toBeGreaterThan(600 + 120);
    // Nobody looks more often than once a minute for it.
    expect(record?.progress?.looks).toBeLessThan(100);
  });

  test('has time until its deadline, which it is told; then the progress deadline runs', async () => {
    const said = [{ when: 'bake-end', deadlineSeconds: 1_000 }];
    const policy = { progressDeadlineSeconds: 300 };
    const { outcome, asked, seconds, converged } = await roll(said, () => atWork(100), { policy });

    expect(outcome).toMatchObject({
      ...{ outcome: 'Errored', reason: 'GateUnknown' },
      message: expect.stringContaining('IN_PROGRESS, for more than 16 min 40 s'),
    });
    const end = (converged[0] ?? 0) + 120 + 1_000 + 300;
    expect(seconds).toBeGreaterThanOrEqual(end);
    expect(seconds).toBeLessThan(end + 120);
    expect(new Set(asked.slice(0, 5).map(({ deadline }) => deadline)).size).toBe(1);
  });

  test('does not hold up the deadline of another gate that gives no answer', async () => {
    const { outcome, seconds } = await roll([{}, {}], ({ check }) =>
      check === 'c0' ? atWork(30) : SILENT,
    );
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(seconds).toBeLessThan(1_200);
  });

  test('with another one that takes turns holds nothing up for ever', async () => {
    const said = [{ deadlineSeconds: 600 }, { deadlineSeconds: 600 }];
    const { seconds } = await roll(said, ({ check, attempt }) =>
      (attempt % 2 === 0) === (check === 'c0') ? atWork(30) : YES,
    );
    expect(seconds).toBeLessThan(2 * (120 + 600 + 600 + 120));
  });

  test('that is at work again while somebody is to approve has a deadline of its own', async () => {
    const working = ({ attempt, at }: Asked) => attempt === 1 || (at > 3_000 && at < 3_200);
    const { outcome, asked } = await roll(
      [{ when: 'bake-end', deadlineSeconds: 300 }],
      (one) => (one.wave === 1 && working(one) ? atWork(60) : YES),
      {
        policy: {
          progressDeadlineSeconds: 60,
          verify: { approval: { timeoutSeconds: 7_200, onTimeout: 'reject' } },
        },
        async beside(stage) {
          await stage.until(5_000);
          const said = { at: scenarioNow(), wave: 0, by: 'ada', reason: 'looks well' } as const;
          await stage.ledger.signal('rollout-1', { kind: 'approve', ...said });
        },
      },
    );

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
    const later = asked.filter((one) => one.wave === 1 && working(one) && one.attempt > 1);
    const deadlines = new Set(later.map(({ deadline }) => (Date.parse(deadline) - START) / 1000));
    expect([...deadlines]).toEqual([(later[0]?.at ?? 0) + 300]);
    expect(later.length).toBeGreaterThan(1);
  });

  test('takes no time from whoever is to approve', async () => {
    const { outcome, seconds } = await roll(
      [{ when: 'bake-end' }],
      ({ wave, attempt }) => (wave === 1 && attempt > 1 && attempt < 6 ? atWork(300) : YES),
      { policy: { verify: { approval: { timeoutSeconds: 400, onTimeout: 'reject' } } } },
    );
    expect(outcome).toMatchObject({ outcome: 'Failed' });
    expect(seconds).toBeGreaterThan(120 + 4 * 300 + 400);
  });
});
