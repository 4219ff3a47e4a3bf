import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { handsOverInTime } from './engine.ts';

test('an execution that hands over before a wait that it had time for is noticed', async () => {
  const frozen: Ordeal = {
    ...QUIET,
    executionSeconds: 300,
    held: {
      holds: [
        { kind: 'freeze', on: 'everything', from: 'opened', seconds: 400, liftedAfter: 3 },
        { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: null },
      ],
      isOfGroup: false,
      refuses: false,
      isAgain: false,
      listens: true,
    },
  };
  const run = await tryOrdeal(frozen);
  const executions = run.executions.map((execution) => ({
    ...execution,
    runs: execution.runs.map((one) => ({
      ...one,
      payload: one.payload.replaceAll(/"waitSeconds":\d+/g, '"waitSeconds":5'),
    })),
  }));

  expect(run.executions).toHaveLength(2);
  expect(handsOverInTime(frozen, run)).toEqual([]);
  expect(handsOverInTime(frozen, { ...run, executions })).toHaveLength(1);
});
