import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { loadedSources, openProgress as open } from './progress.ts';
import type { Draw, Simulated } from './simulate.ts';
import { NOTHING } from './tally.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-progress-'));
const file = join(folder, 'below', 'sources.jsonl');

beforeEach(() => rmSync(join(folder, 'below'), { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openProgress = open<Draw, Simulated>;

const FIRST = { seed: 1, count: 100 };
const SECOND = { seed: 2, count: 100 };
const QUIET = { violation: null, tally: { ...NOTHING, rollouts: 100 } };
const LOUD = {
  violation: { seed: 2, path: '7:0', message: 'Error: it was rolled', smallest: '{}' },
  tally: { ...NOTHING, rollouts: 7 },
};

test('what was simulated is found again by the next process, violations as well', () => {
  const before = openProgress(file);
  expect(before.find(FIRST)).toBeUndefined();
  before.add(FIRST, QUIET);
  before.add(SECOND, LOUD);

  const after = openProgress(file);
  expect(after.find(FIRST)).toEqual(QUIET);
  expect(after.find(SECOND)).toEqual(LOUD);
  expect(after.find({ ...FIRST, count: 50 })).toBeUndefined();
});

test('what was written when the machine died is simulated anew, and everything before and after it is kept', () => {
  openProgress(file).add(FIRST, QUIET);
  const whole = readFileSync(file, 'utf8');
  appendFileSync(file, whole.replace('\\"seed\\":1', '\\"seed\\":3').slice(0, -9));

  openProgress(file).add(SECOND, LOUD);

  const after = openProgress(file);
  expect(after.find(FIRST)).toEqual(QUIET);
  expect(after.find({ seed: 3, count: 100 })).toBeUndefined();
  expect(after.find(SECOND)).toEqual(LOUD);
});

test.each(['./thread.ts', '../group-releases/thread.ts'])('%s runs without jest', (thread) => {
  const loaded = loadedSources(new URL(thread, import.meta.url));
  expect(loaded.length).toBeGreaterThan(50);
  const needsJest = loaded.filter(({ loads }) => loads.some((name) => name.startsWith('@jest/')));
  expect(needsJest.map(({ path }) => path)).toEqual([]);
});

test('an empty file knows nothing', () => {
  openProgress(file);
  writeFileSync(file, '');
  expect(openProgress(file).find(FIRST)).toBeUndefined();
});
