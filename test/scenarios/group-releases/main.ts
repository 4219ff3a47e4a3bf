import { parseArgs } from 'node:util';
import { readArguments, wholeNumber } from '../../support/command-arguments.ts';
import { byCount, grouped } from '../simulation/results.ts';
import { print, runDraws } from '../simulation/run-draws.ts';
import { type SimulatedRelease, simulateRelease } from './simulate.ts';

// npm run group-releases -- --runs 10000 --seed 1
//
// Releases random versions to random groups on all processors, and counts how many runtimes were in mid-roll or lost at
// the same time, there and back. It prints every release that broke a promise. Each release has the seed after that of
// the one before it. When the command was interrupted, the same command goes on from there, as long as the sources are
// the same.

const { values, runs, seed } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      /** Simulates what has been simulated before, too. */
      afresh: { type: 'boolean', default: false },
    },
  });
  return {
    values,
    runs: wholeNumber('--runs', values.runs),
    seed: wholeNumber('--seed', values.seed),
  };
});

const releases: SimulatedRelease[] = [];
const countOf = (isMeant: (release: SimulatedRelease) => boolean) =>
  grouped(releases.filter(isMeant).length);
const sumOf = (of: 'runtimes' | 'lost') =>
  grouped(releases.reduce((sum, release) => sum + release[of], 0));
const hasViolation = ({ violations }: SimulatedRelease) => violations.length > 0;
const state = (rates: string) =>
  `${grouped(releases.length)} of ${grouped(runs)} releases, ${rates}, violations in ${countOf(hasViolation)}`;

const rates = await runDraws({
  draws: Array.from({ length: runs }, (_, index) => seed + index),
  thread: new URL('./thread.ts', import.meta.url),
  simulate: simulateRelease,
  afresh: values.afresh,
  note(release) {
    releases.push(release);
    if (hasViolation(release)) print(`A promise was broken: ${JSON.stringify(release)}`);
  },
  count: () => releases.length,
  state,
});
tell();
if (rates === null) process.exitCode = 130;
else {
  print(`\n${state(rates)}. To go on: --seed ${seed + runs}`);
  process.exitCode = releases.some(hasViolation) ? 1 : 0;
}

/** What the releases have met, and how they ended. */
function tell(): void {
  print(`\nTo ${sumOf('runtimes')} runtimes, of which ${sumOf('lost')} were lost.`);
  print(`With a version that breaks runtimes: ${countOf(({ bad }) => bad > 0)}`);
  print(`Went back: ${countOf(({ wentBack }) => wentBack)}`);
  print(`Killed and resumed: ${countOf(({ wasKilled }) => wasKilled)}`);
  for (const [versions, count] of byCount(tally(({ asked }) => asked))) {
    print(`Versions asked for, ${versions}: ${grouped(count)}`);
  }
  for (const [outcome, count] of byCount(tally((release) => release.outcome))) {
    print(`${outcome}: ${grouped(count)}`);
  }
}

function tally(of: (release: SimulatedRelease) => string): Record<string, number> {
  const groups = Map.groupBy(releases, of);
  return Object.fromEntries([...groups].map(([name, each]) => [name, each.length]));
}
