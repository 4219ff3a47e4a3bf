import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { doubtfulIsSpared } from './spared.ts';

const STUCK: Ordeal = {
  ...QUIET,
  endpoints: [{ name: 'endpoint-01', version: 1 }],
  broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
};

test('what was never rolled, is stopped already or shows no version is not stopped', async () => {
  const run = await runScenario(toScript(STUCK));
  const stop = run.calls.findIndex(({ operation }) => operation === 'stop');
  const withRead = (shown: object) =>
    run.calls.map((call, index) =>
      index === stop - 1 && call.operation === 'list'
        ? { ...call, endpoints: call.endpoints?.map((one) => ({ ...one, ...shown })) ?? null }
        : call,
    );
  const judge = (calls: typeof run.calls) => doubtfulIsSpared(STUCK, { ...run, calls });
  const unrolled = run.calls.filter(({ operation }) => operation !== 'roll');

  expect(run.stopped).toEqual(['endpoint-01']);
  expect(judge(run.calls)).toEqual([]);
  expect(judge(withRead({ status: 'STOPPED' }))).toHaveLength(1);
  expect(judge(withRead({ liveVersion: null }))).toHaveLength(1);
  const record = run.record && { ...run.record, journal: [] };
  expect(doubtfulIsSpared(STUCK, { ...run, record, calls: unrolled })).toHaveLength(1);
});
