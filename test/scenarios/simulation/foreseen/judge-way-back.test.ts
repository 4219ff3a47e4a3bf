import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { goesBackAsForeseen } from './judge-way-back.ts';

const TAKEN_BACK: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, bakeSeconds: 120 },
  people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 30 }],
};

test('a way back that a person has asked for is followed to its last read', async () => {
  const run = await runScenario(toScript(TAKEN_BACK));
  const last = run.calls.findLastIndex(({ operation }) => operation === 'list');
  const late = run.calls.map((call, index) => {
    return index >= last ? { ...call, at: call.at + 1000 } : call;
  });

  expect(run.outcome.cleanup).toBe('rolledBack');
  expect(goesBackAsForeseen(TAKEN_BACK, run)).toEqual([]);
  expect(goesBackAsForeseen(TAKEN_BACK, { ...run, calls: late })).toEqual([
    'a read was due after 5 s, and list came 1 s later',
  ]);
});

test('an abort that leaves everything as it is ends what is foreseen', async () => {
  const run = await runScenario(
    toScript({
      ...TAKEN_BACK,
      rollSeconds: 20,
      people: [...TAKEN_BACK.people, { kind: 'abort', onFailure: 'hold', atSecond: 48 }],
    }),
  );

  expect(run.outcome.cleanup).toBe('incomplete');
  expect(goesBackAsForeseen(TAKEN_BACK, run)).toEqual([]);
});
