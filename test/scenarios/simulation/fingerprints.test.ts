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
  expect(othersIn(before, courses, 'seen')).toEqual([]);

  const { '7/11': last, ...others } = courses;
  const course = (name: string) => courses[name] ?? { done: '', seen: '' };
  const later = { ...course('7/2'), seen: 'later' };
  const stopped = { done: 'Failed; stop a', seen: 'sooner' };
  const rest = { ...others, '7/2': later, '7/3': stopped };
  const ended = [
    { name: '7/3', before: course('7/3'), now: stopped },
    { name: '7/11', before: last, now: null },
  ];
  expect(othersIn(before, rest, 'done')).toEqual(ended);
  const seen = { name: '7/2', before: course('7/2'), now: later };
  expect(othersIn(before, rest, 'seen')).toEqual([seen, ...ended]);
});
