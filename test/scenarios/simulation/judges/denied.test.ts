import { expect, test } from '@jest/globals';
import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { deniedIsLast } from './denied.ts';

const DENIED: Ordeal = {
  ...QUIET,
  latencyMs: 300,
  writes: [
    { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'UpstreamAuth', seconds: 1 },
  ],
};

test('a roll after the credentials were refused is noticed', async () => {
  const run = await runScenario(toScript(DENIED));
  const late = run.calls.filter(isWrite).map((call) => ({ ...call, at: call.at + 300 }));

  expect(deniedIsLast(DENIED, run)).toEqual([]);
  expect(deniedIsLast(DENIED, { ...run, calls: [...run.calls, ...late] })).toEqual([
    expect.stringContaining('was rolled after the credentials were refused'),
  ]);
});
