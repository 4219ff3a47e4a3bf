import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { stopsAreTold } from './told-cleanup.ts';

const STUCK: Ordeal = {
  ...QUIET,
  broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'stuck' }],
};

test('a cleanup that its stops do not make is noticed', async () => {
  const { record } = await runScenario(toScript(STUCK));
  const told = (cleanup: 'stopped' | 'kept' | 'none') =>
    record?.outcome &&
    stopsAreTold({ record: { ...record, outcome: { ...record.outcome, cleanup } } });

  expect(told('stopped')).toEqual([]);
  expect(told('kept')).toEqual(['its stops make its cleanup stopped, and it is kept']);
  expect(told('none')).toEqual(['its stops make its cleanup stopped, and it is none']);
});
