import { parseArgs } from 'node:util';
import { runJobs } from '../../../lib/adapters/machine/threads.ts';
import { type Draw, simulate, type Violation } from './simulate.ts';

// npm run simulate -- --runs 100000 --seed 1
//
// Simulates random rollouts on all processors, each with all invariants after every step, and prints how many a second
// of CPU time was enough for, and every violation with the smallest rollout that shows it. Each hundred rollouts has a
// seed of its own: a later --seed goes on where an earlier run ended, as its last line says.

const EACH = 100;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    /** Leads to one rollout of the seed, as a violation names it. */
    path: { type: 'string' },
  },
});
const runs = wholeNumber('--runs', values.runs);
const seed = wholeNumber('--seed', values.seed);

if (values.path === undefined) {
  process.exitCode = (await simulateAll()) ? 1 : 0;
} else {
  const violation = await simulate({ count: EACH, seed, path: values.path });
  process.stdout.write(violation === null ? 'No violation.\n' : describe(violation));
  process.exitCode = violation === null ? 0 : 1;
}

/** Answers whether an invariant was violated. */
async function simulateAll(): Promise<boolean> {
  const draws = Array.from({ length: Math.ceil(runs / EACH) }, (_, index): Draw => {
    return { seed: seed + index, count: Math.min(EACH, runs - index * EACH) };
  });
  const before = process.cpuUsage();
  let violations = 0;
  let done = 0;
  await runJobs({
    jobs: draws,
    thread: new URL('./thread.ts', import.meta.url),
    here: simulate,
    onResult(violation) {
      done += 1;
      if (process.stderr.isTTY) process.stderr.write(`\r${done * EACH} of ${runs} `);
      if (violation === null) return;
      violations += 1;
      process.stdout.write(describe(violation));
    },
  });
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const found = violations === 0 ? 'no violation' : `violations with ${violations} seeds`;
  process.stdout.write(
    `${runs} rollouts, ${found}, ${Math.round(runs / seconds)} per second of CPU time. To go on: --seed ${seed + draws.length}\n`,
  );
  return violations > 0;
}

function describe({ seed, path, message, smallest }: Violation): string {
  const again = `npm run simulate -- --seed ${seed} --path ${path}`;
  return `\n${message}\n${smallest}\nTo see it again: ${again}\n`;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name}: ${text} is not a whole number`);
  return Number(text);
}
