import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { othersIn, readCourses, writeCourses } from './fingerprints.ts';
import { simulate } from './simulate.ts';

test('the courses of a run are read as they were written, and the draws that differ are named', async () => {
  const { courses } = await simulate({ count: 12, seed: 7, isCompared: true });
  if (courses === undefined) throw new Error('There are no courses.');
  expect(Object.keys(courses)).toHaveLength(12);

  const folder = mkdtempSync(join(tmpdir(), 'steproll-courses-'));
  const file = join(folder, 'before');
  writeCourses(file, courses);
  const before = readCourses(file);
  rmSync(folder, { recursive: true });
  expect(othersIn(before, courses)).toEqual([]);

  const { '7/11': last, ...others } = courses;
  const rest = { ...others, '7/2': 'another way' };
  expect(othersIn(before, rest)).toEqual([
    { name: '7/2', before: courses['7/2'], now: 'another way' },
    { name: '7/11', before: last, now: null },
  ]);
});
