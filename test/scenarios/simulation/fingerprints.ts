import { readFileSync, writeFileSync } from 'node:fs';
import type { Courses } from './simulate.ts';

// How each of many rollouts went, in a file, so that two commits can be compared draw by draw. A refactoring changes
// none of them.

const BETWEEN = ': ';

/** A line for each rollout. */
export function writeCourses(file: string, courses: Courses): void {
  const lines = Object.entries(courses).map(([name, course]) => `${name}${BETWEEN}${course}\n`);
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
  readonly before: string | null;
  readonly now: string | null;
}

export function othersIn(before: Courses, now: Courses): readonly Other[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names]
    .toSorted(byName)
    .map((name) => ({ name, before: before[name] ?? null, now: now[name] ?? null }))
    .filter((one) => one.before !== one.now);
}

function nameIn(line: string): string {
  return line.slice(0, line.indexOf(BETWEEN));
}

function courseIn(line: string): string {
  return line.slice(line.indexOf(BETWEEN) + BETWEEN.length);
}

function byName(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
