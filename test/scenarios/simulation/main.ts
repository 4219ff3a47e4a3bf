import { parseArgs } from 'node:util';
import { readArguments, wholeNumber } from '../../support/command-arguments.ts';
import { tellStory } from '../stories/tell-story.ts';
import type { Course } from './course.ts';
import { othersIn, readCourses, writeCourses } from './fingerprints.ts';
import { byCount, describeTally, faultsTable, grouped, writeResults } from './results.ts';
import { print, runDraws } from './run-draws.ts';
import { type Courses, type Draw, simulate, type Violation } from './simulate.ts';
import { NOTHING, sumOf } from './tally.ts';

// npm run simulate -- --runs 100000 --seed 1
//
// Simulates random rollouts on all processors, each with all invariants after every step. It prints every violation
// with the smallest rollout that shows it, and at the end what the rollouts have met and how they ended. Each hundred
// rollouts has a seed of its own: a later --seed goes on where an earlier run ended, as its last line says. When the
// command was interrupted, the same command goes on from there, as long as the sources are the same.
//
// npm run simulate -- --runs 20000 --fingerprints /tmp/before
// npm run simulate -- --runs 20000 --against /tmp/before
//
// Before and after a change: the first writes down how each rollout went, the second lists those that end otherwise or
// write something else to an endpoint, and counts those that differ only in when, in how often somebody looked or in what
// is told. --fine lists these, too: a refactoring has none. With --path it tells the story of one of them.

const EACH = 100;

const { values, runs, seed } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      /** Leads to one rollout of the seed, as a violation names it. */
      path: { type: 'string' },
      /** The file for the course of each rollout. @default - none is written */
      fingerprints: { type: 'string' },
      /** The file of other sources, with which the courses are compared. @default - none */
      against: { type: 'string' },
      /** Rollouts that differ in anything at all count as well. */
      fine: { type: 'boolean', default: false },
      /** Simulates what has been simulated before, too. */
      afresh: { type: 'boolean', default: false },
      /** Writes the results down for the docs: `npm run docs` shows them. */
      write: { type: 'boolean', default: false },
    },
  });
  return {
    values,
    runs: wholeNumber('--runs', values.runs),
    seed: wholeNumber('--seed', values.seed),
  };
});

if (values.path === undefined) {
  process.exitCode = await simulateAll();
} else {
  const stories: string[] = [];
  const { violation } = await simulate({ count: EACH, seed, path: values.path }, (run) =>
    stories.push(tellStory(run).join('\n')),
  );
  const verdict = violation === null ? 'No violation.' : describe(violation);
  print(`${stories[0] ?? ''}\n${verdict}`);
  process.exitCode = violation === null ? 0 : 1;
}

/** Answers the exit code. */
async function simulateAll(): Promise<number> {
  const { fingerprints, against } = values;
  const isCompared = fingerprints !== undefined || against !== undefined;
  // What cannot be read is told at once.
  const before = against === undefined ? null : readCourses(against);
  const courses: Record<string, Course> = {};
  const draws = Array.from({ length: Math.ceil(runs / EACH) }, (_, index): Draw => {
    const count = Math.min(EACH, runs - index * EACH);
    return { seed: seed + index, count, ...(isCompared && { isCompared }) };
  });
  let tally = NOTHING;
  let violations = 0;
  const rates = await runDraws({
    draws,
    thread: new URL('./thread.ts', import.meta.url),
    simulate,
    afresh: values.afresh,
    note({ violation, tally: own, courses: ways }) {
      tally = sumOf(tally, own);
      Object.assign(courses, ways);
      if (violation === null) return;
      violations += 1;
      print(`\n${describe(violation)}`);
    },
    count: () => tally.rollouts,
    state: (rates) =>
      `${grouped(tally.rollouts)} of ${grouped(runs)} rollouts, ${rates}, violations with ${violations} seeds`,
  });
  if (rates === null) return 130;

  print(`\n${faultsTable(tally)}\n`);
  for (const [end, count] of byCount(tally.ends)) print(`${end}: ${grouped(count)}`);
  const found = violations === 0 ? 'no violation' : `violations with ${violations} seeds`;
  const next = seed + draws.length;
  print(`\n${describeTally(tally)}, ${rates}: ${found}. To go on: --seed ${next}`);
  if (values.write) {
    const day = new Date().toISOString().slice(0, 10);
    writeResults({ tally, seeds: [seed, next - 1], violations, day });
  }
  if (fingerprints !== undefined) writeCourses(fingerprints, courses);
  const others = before === null ? 0 : compare(before, courses);
  return violations === 0 && others === 0 ? 0 : 1;
}

/** Answers how many rollouts go another way. */
function compare(before: Courses, now: Courses): number {
  const ended = othersIn(before, now, 'done');
  const seen = othersIn(before, now, 'seen');
  const others = values.fine ? seen : ended;
  for (const { name, before, now } of others) {
    const [seed, path] = name.split('/');
    print(`\n--seed ${seed} --path ${path}`);
    print(`  before: ${describeCourse(before)}\n  now:    ${describeCourse(now)}`);
  }
  const onlySeen = seen.length - ended.length;
  print(`\n${grouped(ended.length)} rollouts end or write otherwise, ${grouped(onlySeen)} others`);
  print('differ in when, in how often somebody looked or in what is told.');
  return others.length;
}

function describeCourse(course: Course | null): string {
  return course === null ? 'no course' : `${course.done} · ${course.seen}`;
}

function describe({ seed, path, message, smallest }: Violation): string {
  return `${message}\n${smallest}\nTo see it again: npm run simulate -- --seed ${seed} --path ${path}`;
}
