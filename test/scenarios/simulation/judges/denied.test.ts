import { expect, test } from '@jest/globals';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { deniedGoesAlone, deniedIsLookedAt } from './denied.ts';

const DENIED: Ordeal = {
  ...QUIET,
  latencyMs: 300,
  writes: [
    { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'UpstreamAuth', seconds: 1 },
  ],
};

test('a roll beside another one after the credentials were refused is noticed', async () => {
  const run = await runScenario(toScript(DENIED));
  const calls = run.calls.flatMap((call, index) => {
    const isSecond = run.calls.slice(0, index).filter(isWrite).length === 1;
    return isWrite(call) && isSecond ? [call, { ...call, endpointId: 'beside' }] : [call];
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(deniedGoesAlone(DENIED, run)).toEqual([]);
  expect(deniedGoesAlone(DENIED, { ...run, calls })).toEqual([
    'beside was rolled beside another one while nobody was let in',
  ]);
});

test('a roll after a refusal that nothing was read for is noticed', async () => {
  const run = await runScenario(toScript(DENIED));
  const blind = run.calls.filter((call) => !isList(call));

  expect(deniedIsLookedAt(DENIED, run)).toEqual([]);
  expect(deniedIsLookedAt(DENIED, { ...run, calls: blind })).toEqual([
    expect.stringContaining('was written to after a refusal'),
  ]);
});
