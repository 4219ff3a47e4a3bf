import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import type { Observed } from '../to-script.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import type { StepRun } from '../watch-engine.ts';
import { judgeEnding } from './ending.ts';

const DIES: Ordeal = {
  ...QUIET,
  death: { error: 'LedgerUnavailable', when: 'before', point: 3, since: 'wave-started' },
};

const HANDS_OVER: Ordeal = { ...QUIET, executionEvents: 0 };

const REFUSED: Ordeal = {
  ...QUIET,
  lists: [{ kind: 'UnknownRuntime', fromSecond: 7, seconds: 900 }],
};

test('a rollout whose only step dies, and one that hands over, each have a twin that goes alike', async () => {
  expect((await tryOrdeal(DIES)).twin?.outcome.outcome).toBe('Succeeded');
  expect((await tryOrdeal(HANDS_OVER)).executions.length).toBeGreaterThan(3);
  expect((await tryOrdeal(HANDS_OVER)).twin?.outcome.outcome).toBe('Succeeded');
});

test.each([
  ['a roll too few', DIES, (run) => ({ ...run, calls: run.calls.slice(0, 2) }), 'its lastWrites'],
  ['an event too few', DIES, (run) => ({ ...run, told: run.told.slice(1) }), 'its told'],
  [
    'a bake that begins anew',
    DIES,
    (run) => ({ ...run, seconds: run.seconds + 600 }),
    'longer than without its death',
  ],
  ['a later end', HANDS_OVER, (run) => ({ ...run, seconds: run.seconds + 1 }), 'its seconds'],
  ['a failed execution', QUIET, (run) => withStatus(run, 'FAILED'), 'and its execution as FAILED'],
  [
    'a step that is not run again',
    DIES,
    (run) => withRuns(run, (runs) => runs.slice(0, runs.findIndex(hasFailed) + 1)),
    'was not run again after LedgerUnavailable',
  ],
  [
    'a step that is run again in vain',
    REFUSED,
    (run) => withRuns(run, (runs) => runs.toSpliced(runs.findIndex(hasFailed), 0, failedOf(runs))),
    'which failed with UnknownRuntime',
  ],
] satisfies [string, Ordeal, (run: Observed) => Observed, string][])(
  'a rollout is blamed for %s',
  async (_, drawn, changed, violation) => {
    const run = await tryOrdeal(drawn);

    expect(judgeEnding(drawn, changed(run)).join()).toContain(violation);
  },
);

function withStatus(run: Observed, status: 'FAILED'): Observed {
  return { ...run, executions: run.executions.map((each) => ({ ...each, status })) };
}

function withRuns(run: Observed, change: (runs: StepRun[]) => StepRun[]): Observed {
  return {
    ...run,
    executions: run.executions.map((each) => ({ ...each, runs: change(each.runs) })),
  };
}

function hasFailed({ error }: StepRun): boolean {
  return error !== null;
}

/** The failed run of the step once more. */
function failedOf(runs: readonly StepRun[]): StepRun {
  return runs.find(hasFailed) as StepRun;
}
