import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { NO_GATES } from '../situations/situation.ts';
import { onItsService, toScript } from '../to-script.ts';
import { endedReadsNothing, readsTwice } from './reads-to-open.ts';

const SLOW: Ordeal = { ...QUIET, latencyMs: 300 };

test('a read that nobody needs before a rollout begins is noticed', async () => {
  const run = await runScenario(toScript(SLOW));
  const [first] = run.calls;

  expect(readsTwice(SLOW, run)).toEqual([]);
  expect(readsTwice(SLOW, { ...run, calls: first ? [first, ...run.calls] : [] })).toEqual([
    'it read the list 3 times, and 2 times are enough',
  ]);
});

test('a plan that no two reads in a row agree on is noticed', async () => {
  const run = await runScenario(toScript(SLOW));
  const calls = run.calls.map((call, index) =>
    call.operation === 'list' && index === 1 ? { ...call, endpoints: [] } : call,
  );

  expect(readsTwice(SLOW, { ...run, calls })).toEqual([
    'no two reads agree on the endpoints of its plan',
    'it read the list 2 times in a row, and they did not agree',
  ]);
});

test('a read too many where a red gate had to learn that there is nothing to roll is noticed', async () => {
  const red: Ordeal = {
    ...QUIET,
    latencyMs: 300,
    endpoints: [{ name: 'endpoint-01', version: 2 }],
    alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 1 }],
    policy: { ...QUIET.policy, verify: { ...NO_GATES, alarms: ['errors'] } },
  };
  const run = await onItsService(red, () => runScenario(toScript(red)));
  const [first, ...others] = run.calls;

  expect(run.outcome.reason).toBe('NothingToDo');
  expect(readsTwice(red, run)).toEqual([]);
  const calls = first ? [first, first, ...others] : [];
  expect(readsTwice(red, { ...run, calls })).toEqual([
    'two reads agree, and it read the list 3 times more',
    'it read the list 5 times, and 4 times are enough',
  ]);
});

test('a read long after the end is noticed', async () => {
  const run = { ...(await runScenario(toScript(SLOW))), executions: [] };
  const late = run.calls.slice(0, 1).map((call) => ({ ...call, at: call.at + 3_600_000 }));

  expect(endedReadsNothing(SLOW, run)).toEqual([]);
  expect(endedReadsNothing(SLOW, { ...run, calls: [...run.calls, ...late] })).toEqual([
    'it read the list 1 times after its end',
  ]);
});
