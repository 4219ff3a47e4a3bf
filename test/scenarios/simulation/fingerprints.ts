import { readFileSync, writeFileSync } from 'node:fs';
import type { Course } from './course.ts';
import type { Courses } from './simulate.ts';

// How each of many rollouts went, in a file, so that two commits can be compared draw by draw. A refactoring changes
// none of them. A redesign may change what is seen on the way, and answers for each that ends or writes otherwise.

const BETWEEN = ': ';
const BEFORE_SEEN = ' · ';

/** A line for each rollout. */
export function writeCourses(file: string, courses: Courses): void {
  const lines = Object.entries(courses).map(
    ([name, { done, seen }]) => `${name}${BETWEEN}${done}${BEFORE_SEEN}${seen}\n`,
  );
  writeFileSync(file, lines.toSorted(byName).join(''));
}

export function readCourses(file: string): Courses {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(
    lines.filter((line) => line !== '').map((line) => [nameIn(line), courseIn(line)]),
  );
}

/** One rollout that goes another way. `null`: on this side it was not simulated, or violates something. */
export interface Other {
  readonly name: string;
  readonly before: Course | null;
  readonly now: Course | null;
}

/** @param part What is compared. */
export function othersIn(before: Courses, now: Courses, part: keyof Course): readonly Other[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names]
    .toSorted(byName)
    .map((name) => ({ name, before: before[name] ?? null, now: now[name] ?? null }))
    .filter((one) => one.before?.[part] !== one.now?.[part]);
}

function nameIn(line: string): string {
  return line.slice(0, line.indexOf(BETWEEN));
}

function courseIn(line: string): Course {
  const end = line.lastIndexOf(BEFORE_SEEN);
  const done = line.slice(line.indexOf(BETWEEN) + BETWEEN.length, end);
  return { done, seen: line.slice(end + BEFORE_SEEN.length) };
}

function byName(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
