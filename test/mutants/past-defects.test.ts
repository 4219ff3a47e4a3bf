import { expect, test } from '@jest/globals';
import { ACQUITTED, CORPUS, cameTo } from '../scenarios/simulation/corpus.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { tryOrdeal } from '../scenarios/simulation/try-ordeal.ts';
import { notMended, PAST_DEFECTS } from './past-defects.ts';

test('each defect of the past can be put back, or is retired with a reason', () => {
  expect(notMended()).toEqual([]);
});

test('what must not come is kept of defects of the past', () => {
  const names = new Set(PAST_DEFECTS.map(({ name }) => name));
  const kept = CORPUS.filter(({ never }) => never !== undefined);
  expect(kept.filter(({ shows }) => !names.has(shows))).toEqual([]);
  expect(ACQUITTED.filter(({ never }) => never !== undefined)).toEqual([]);
});

test('a rollout that comes to what it must not is noticed', async () => {
  const run = await tryOrdeal(QUIET);

  expect(cameTo({ never: { end: 'Succeeded, Converged, none' } }, run)).toHaveLength(1);
  expect(cameTo({ never: { write: 'roll endpoint-02 to 2', times: 1 } }, run)).toHaveLength(1);
  expect(cameTo({ never: { end: 'Failed, Stalled, none' } }, run)).toEqual([]);
  expect(cameTo({ never: { write: 'roll endpoint-02 to 2', times: 2 } }, run)).toEqual([]);
});
