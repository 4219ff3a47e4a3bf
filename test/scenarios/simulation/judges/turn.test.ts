import { expect, test } from '@jest/globals';
import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { riskStaysAsItWas, stoppedIsLeftOut, takesBackOnlyItsOwn } from './turn.ts';

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

const MOVED: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
  rollSeconds: 60,
  people: [
    { kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 12 },
    { kind: 'abort', onFailure: 'roll-back', atSecond: 12 },
  ],
};

test('a way back that takes what somebody else has, or looks on with nothing to take back, is noticed', async () => {
  const run = await runScenario(toScript(MOVED));
  const { record } = run;
  const { plan, rollback } = record ?? {};
  if (record === null || plan == null || rollback == null)
    throw new Error('It has not turned around.');
  const withBack = (endpoints: typeof plan.endpoints) => {
    const changed = { ...rollback, plan: { ...rollback.plan, endpoints } };
    return { ...run, record: { ...record, rollback: changed } };
  };

  expect(rollback.plan.endpoints.map(({ name }) => name)).toEqual(['endpoint-02']);
  expect(takesBackOnlyItsOwn(MOVED, run)).toEqual([]);
  expect(takesBackOnlyItsOwn(MOVED, withBack(plan.endpoints))).toEqual([
    'endpoint-01 was to go back, and somebody else has it',
  ]);
  expect(takesBackOnlyItsOwn(MOVED, withBack([]))).toEqual([
    'it went on, and had nothing to take back',
  ]);
  expect(riskStaysAsItWas(run)).toEqual([]);
  expect(riskStaysAsItWas({ record: { ...record, plan: { ...plan, maxAtRisk: 1 } } })).toEqual([
    'its way back may risk undefined, and its way there 1',
  ]);
});
