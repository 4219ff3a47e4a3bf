import { parseArgs } from 'node:util';
import { readArguments, wholeNumber } from '../../support/command-arguments.ts';
import { byCount, describeTally, faultsTable, grouped, writeResults } from './results.ts';
import { print, runDraws } from './run-draws.ts';
import { type Draw, simulate, type Violation } from './simulate.ts';
import { NOTHING, sumOf } from './tally.ts';

// npm run simulate -- --runs 100000 --seed 1
//
// Simulates random rollouts on all processors, each with all invariants after every step. It prints every violation
// with the smallest rollout that shows it, and at the end what the rollouts have met and how they ended. Each hundred
// rollouts has a seed of its own: a later --seed goes on where an earlier run ended, as its last line says. When the
// command was interrupted, the same command goes on from there, as long as the sources are the same.

const EACH = 100;

const { values, runs, seed } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      /** Leads to one rollout of the seed, as a violation names it. */
      path: { type: 'string' },
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
  const { violation } = await simulate({ count: EACH, seed, path: values.path });
  print(violation === null ? 'No violation.' : describe(violation));
  process.exitCode = violation === null ? 0 : 1;
}

/** Answers the exit code. */
async function simulateAll(): Promise<number> {
  const draws = Array.from({ length: Math.ceil(runs / EACH) }, (_, index): Draw => {
    return { seed: seed + index, count: Math.min(EACH, runs - index * EACH) };
  });
  let tally = NOTHING;
  let violations = 0;
  const rates = await runDraws({
    draws,
    thread: new URL('./thread.ts', import.meta.url),
    simulate,
    afresh: values.afresh,
    note({ violation, tally: own }) {
      tally = sumOf(tally, own);
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
  return violations === 0 ? 0 : 1;
}

function describe({ seed, path, message, smallest }: Violation): string {
  return `${message}\n${smallest}\nTo see it again: npm run simulate -- --seed ${seed} --path ${path}`;
}
