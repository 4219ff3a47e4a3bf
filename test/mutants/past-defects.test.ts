import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ACQUITTED, CORPUS, cameTo } from '../scenarios/simulation/corpus.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { tryOrdeal } from '../scenarios/simulation/try-ordeal.ts';
import { notMended, PAST_DEFECTS, type PastDefect } from './past-defects.ts';

test('each defect of the past can be put back, or is retired with a reason', () => {
  expect(notMended()).toEqual([]);
});

test('what must not come is kept of defects of the past', () => {
  const names = new Set(PAST_DEFECTS.map(({ name }) => name));
  const kept = CORPUS.filter(({ never }) => never !== undefined);
  expect(kept.filter(({ shows }) => !names.has(shows))).toEqual([]);
  expect(ACQUITTED.filter(({ never }) => never !== undefined)).toEqual([]);
  const shown = new Set(kept.map(({ shows }) => shows));
  const isHeld = ({ name, heldBy }: PastDefect) => shown.has(name) !== (heldBy !== undefined);
  expect(PAST_DEFECTS.filter((defect) => !isHeld(defect)).map(({ name }) => name)).toEqual([]);
});

test('the unit test that holds a defect which no rollout shows is there', () => {
  const missing = PAST_DEFECTS.flatMap(({ heldBy }) => {
    if (heldBy === undefined) return [];
    const [, file = '', title = ''] = heldBy.match(/^(\S+): (.*)$/) ?? [];
    return existsSync(file) && readFileSync(file, 'utf8').includes(title) ? [] : [heldBy];
  });
  expect(missing).toEqual([]);
});

test('a rollout that comes to what it must not is noticed', async () => {
  const run = await tryOrdeal(QUIET);

  expect(cameTo({ never: { end: 'Succeeded, Converged, none' } }, run)).toHaveLength(1);
  expect(cameTo({ never: { write: 'roll endpoint-02 to 2', times: 1 } }, run)).toHaveLength(1);
  expect(cameTo({ never: { end: 'Failed, Stalled, none' } }, run)).toEqual([]);
  expect(cameTo({ never: { write: 'roll endpoint-02 to 2', times: 2 } }, run)).toEqual([]);
});
