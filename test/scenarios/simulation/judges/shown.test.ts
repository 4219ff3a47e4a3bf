import { expect, test } from '@jest/globals';
import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import { runScenario, type ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { lastLookIsShown } from './shown.ts';

const STUCK: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, onFailure: 'hold' },
  broken: [{ endpoint: 'endpoint-02', version: 2, kind: 'stuck' }],
};

const ran = runScenario(toScript(STUCK));

/** The same record, after a last list that shows one endpoint otherwise. */
async function seenAs(name: string, shown: Partial<Endpoint>): Promise<string[]> {
  const run = await ran;
  const last = run.calls.findLastIndex(isList);
  const calls = run.calls.map((call, index) => {
    if (index !== last || !isList(call)) return call;
    const endpoints = call.endpoints?.map((one) =>
      one.name === name ? { ...one, ...shown } : one,
    );
    return { ...call, endpoints };
  });
  return lastLookIsShown(STUCK, { ...run, calls } as ScenarioResult);
}

test('a record that says what the last list has shown is true', async () => {
  expect((await ran).outcome.reason).toBe('Stalled');
  expect(await seenAs('endpoint-01', {})).toEqual([]);
});

test.each<[name: string, shown: Partial<Endpoint>]>([
  ['endpoint-02', { liveVersion: 2 }],
  ['endpoint-01', { status: 'ERROR' }],
  ['endpoint-01', { liveVersion: 1 }],
  ['endpoint-01', { targetVersion: 5 }],
  ['endpoint-01', { targetVersion: null, liveVersion: 1 }],
])('that %s was seen as %o and is shown otherwise is noticed', async (name, shown) => {
  expect(await seenAs(name, shown)).toHaveLength(1);
});
