import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tellStory } from '../../lib/console/desk/story.ts';
import type { ToldRollout } from '../../lib/console/desk.ts';
import { compareRows } from '../../lib/console/pages/compare-rows.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { planOf } from '../domain/examples.ts';

let local: LocalLedger;
let good: ToldRollout;
let bad: ToldRollout;
beforeAll(async () => {
  local = createLocalLedger();
  const tell = (id: string) =>
    tellStory(
      id,
      { ledger: local.ledger, isAbandoned: async () => false } as never,
      Date.now(),
      '',
    );
  await local.begin({ rolloutId: 'good', desiredVersion: 3 }, 'Succeeded', planOf([1, 2]));
  await local.begin(
    { rolloutId: 'bad', runtimeId: 'cart', desiredVersion: 4 },
    'Failed',
    planOf([1]),
  );
  good = await tell('good');
  bad = await tell('bad');
});
afterAll(() => local.remove());

test('two rollouts are the same in what is the same, and other in versions, ends and waves', () => {
  const rows = compareRows(good, bad);
  const row = (title: string) => rows.find((one) => one.title === title);
  expect(row('Version')).toEqual({ title: 'Version', one: '3', other: '4' });
  expect(row('Took')).toEqual({ title: 'Took', one: '1 min 30 s', other: '1 min 30 s' });
  expect(row('End')?.one).toContain('Succeeded');
  expect(row('End')?.other).toContain('Failed');
  expect(row('Wave 1 wrote')).toMatchObject({ one: '1 endpoint', other: '1 endpoint' });
  expect(row('Wave 2 wrote')).toMatchObject({ one: '2 endpoints', other: '' });
  expect(compareRows(good, good).every(({ one, other }) => one === other)).toBe(true);
});

test('what only the other one has stands where it has it, whichever is the first', () => {
  const titles = (one: ToldRollout, other: ToldRollout) =>
    compareRows(one, other).map(({ title }) => title);
  expect(titles(bad, good)).toEqual(titles(good, bad));
});
