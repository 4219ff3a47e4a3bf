import { expect, test } from '@jest/globals';
import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { stoppedIsLeftOut } from './turn.ts';

const TURNED: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
  broken: [
    { endpoint: 'endpoint-01', version: 2, kind: 'stuck' },
    { endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
  ],
  word: { said: 'roll-back', at: 'stop', nth: 1 },
};

test('a way back that takes what was stopped, or leaves out what was not, is noticed', async () => {
  const run = await runScenario(toScript(TURNED));
  const endpointId = run.record?.rollback?.plan.endpoints[0]?.endpointId ?? '';
  const calls = run.calls.map((call) =>
    isWrite(call) && call.operation === 'stop' ? { ...call, endpointId } : call,
  );

  expect(stoppedIsLeftOut(run)).toEqual([]);
  expect(stoppedIsLeftOut({ ...run, calls })).toEqual([
    expect.stringContaining('may be stopped, and is not left out'),
    'endpoint-01 is not stopped',
  ]);
});
