import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { handsOverInTime } from './engine.ts';

test('an execution that hands over before a wait that it had time for is noticed', async () => {
  const baking: Ordeal = {
    ...QUIET,
    executionSeconds: 300,
    policy: { ...QUIET.policy, bakeSeconds: 400 },
  };
  const run = await tryOrdeal(baking);
  const executions = run.executions.map((execution) => ({
    ...execution,
    runs: execution.runs.map((one) => ({
      ...one,
      payload: one.payload.replaceAll(/"waitSeconds":\d+/g, '"waitSeconds":5'),
    })),
  }));

  expect(run.executions).toHaveLength(2);
  expect(handsOverInTime(baking, run)).toEqual([]);
  expect(handsOverInTime(baking, { ...run, executions })).toHaveLength(1);
});
