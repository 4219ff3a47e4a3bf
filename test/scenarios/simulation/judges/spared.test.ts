import { expect, test } from '@jest/globals';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { doubtfulIsSpared, takenBackIsLeft } from './spared.ts';

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

test('a roll of what was taken back since the rollout has begun is noticed', async () => {
  const slow: Ordeal = {
    ...QUIET,
    endpoints: [{ name: 'endpoint-01', version: 1 }],
    rollSeconds: 60,
  };
  const run = await runScenario(toScript(slow));
  const [first] = run.calls.filter(isList);
  const [roll] = run.calls.filter(({ operation }) => operation === 'roll');
  if (first === undefined || roll === undefined) throw new Error('It has read and rolled nothing.');
  const there = first.endpoints?.map((one) => ({ ...one, targetVersion: 2 })) ?? null;
  const shownFrom = (at: number) => [
    { ...first, at, endpoints: there },
    ...Array.from({ length: 8 }, (_, nth) => ({ ...first, at: at + 10_000 * (nth + 1) })),
    { ...roll, at: at + 120_000 },
  ];

  expect(takenBackIsLeft(slow, { ...run, calls: shownFrom(roll.at) })).toHaveLength(1);
  expect(takenBackIsLeft(slow, { ...run, calls: shownFrom(roll.at - 200_000) })).toEqual([]);
});
