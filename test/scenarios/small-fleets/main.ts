import { parseArgs } from 'node:util';
import { runJobs } from '../../../lib/adapters/machine/threads.ts';
import { countOf } from '../../../lib/domain/sentences.ts';
import { readArguments } from '../../support/command-arguments.ts';
import { readPath, writePath } from './chooser.ts';
import { CONFIGURATIONS, type Configuration, nameOf, readName } from './configuration.ts';
import { writeResults } from './results.ts';
import { follow, type Walk, type Walked, walk } from './walk.ts';

// npm run small-fleets -- --only 2/one-wave/hold/crash+abort
//
// Walks through every order of events in small fleets, on all processors, and prints for each of them how many
// situations there are, how many orders of events that are, and every violation with the path to it. With `--doubt`,
// situations that are recognised again are left once more, to see that they were recognised rightly. `--write` writes
// the results down for contributing/proof/counted.md.

const { values, fleets, path } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      doubt: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      /** Leads to one violation of the only fleet, as the violation says it. */
      path: { type: 'string' },
    },
  });
  const fleets = values.only?.map(readName) ?? CONFIGURATIONS;
  if (values.path !== undefined && fleets.length !== 1) {
    throw new Error('--path needs one fleet: --only');
  }
  return { values, fleets, path: values.path === undefined ? undefined : readPath(values.path) };
});

if (path === undefined) {
  process.exitCode = (await walkAll()) ? 1 : 0;
} else {
  process.exitCode = (await showPath(path)) ? 1 : 0;
}

/** Answers whether anything was violated. */
async function walkAll(): Promise<boolean> {
  const before = process.cpuUsage();
  const walks = await runJobs({
    jobs: fleets.map((configuration): Walk => ({ configuration, isDoubtful: values.doubt })),
    thread: new URL('./thread.ts', import.meta.url),
    here: walk,
    onResult: (walked) => process.stdout.write(describe(walked)),
  });
  if (values.write) writeResults(walks, new Date().toISOString().slice(0, 10));
  const { user, system } = process.cpuUsage(before);
  const sum = (count: (walked: Walked) => number) =>
    walks.reduce((so, walked) => so + count(walked), 0).toLocaleString('en');
  const counts = [
    `${sum(({ states }) => states)} states`,
    `${sum(({ transitions }) => transitions)} transitions`,
    `${sum(({ paths }) => paths)} orders of events`,
    `${sum(({ violations }) => violations.length)} violations`,
    `${Math.round((user + system) / 1e6)} seconds of CPU time`,
  ];
  process.stdout.write(`${countOf(walks.length, 'fleet')}: ${counts.join(', ')}.\n`);
  return walks.some(({ violations }) => violations.length > 0);
}

function describe({ configuration, violations, ...counts }: Walked): string {
  const name = nameOf(configuration);
  const { states, transitions, paths, longest } = counts;
  const line = [
    `${states.toLocaleString('en')} states`,
    `${transitions.toLocaleString('en')} transitions`,
    `${paths.toLocaleString('en')} orders of events`,
    `the longest has ${longest} transitions`,
    `${violations.length} violations`,
  ].join(', ');
  const found = violations.map(({ message, path }) => {
    const again = `npm run small-fleets -- --only ${name} --path ${writePath(path)}`;
    return `\n${message}\nTo see it: ${again}\n`;
  });
  return `${name}: ${line}\n${found.join('')}`;
}

/** Answers whether the path leads to a violation. */
async function showPath(path: readonly number[]): Promise<boolean> {
  const [only] = fleets as [Configuration];
  const { steps, violations } = await follow(only, path);
  const lines = steps.map(({ state, happened }) => [state, ...happened].join('\n    '));
  process.stdout.write(`${lines.join('\n')}\n\n${violations.join('\n') || 'No violation.'}\n`);
  return violations.length > 0;
}
