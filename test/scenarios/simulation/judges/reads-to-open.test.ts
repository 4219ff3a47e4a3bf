import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { endedReadsNothing, readsTwice } from './reads-to-open.ts';

const SLOW: Ordeal = { ...QUIET, latencyMs: 300 };

test('reads that nobody needs before a rollout begins are noticed', async () => {
  const run = await runScenario(toScript(SLOW));
  const first = run.calls.slice(0, 1);
  const calls = [...first, ...first, ...first, ...first, ...run.calls];

  expect(readsTwice(SLOW, run)).toEqual([]);
  expect(readsTwice(SLOW, { ...run, calls })).toEqual(['it read the list 6 times before it began']);
});

test('a plan that no two reads in a row agree on is noticed', async () => {
  const run = await runScenario(toScript(SLOW));
  const calls = run.calls.map((call, index) =>
    call.operation === 'list' && index === 1 ? { ...call, endpoints: [] } : call,
  );

  expect(readsTwice(SLOW, { ...run, calls })).toEqual([
    'no two reads agree on the endpoints of its plan',
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
