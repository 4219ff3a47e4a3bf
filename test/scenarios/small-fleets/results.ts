import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../../docs/markdown-table.ts';
import { CONFIGURATIONS, type Event, nameOf } from './configuration.ts';
import type { Walked } from './walk.ts';

/** What walks came to, as the docs show it. */
interface Results {
  /** The day on which the last of them ended, such as `2026-01-31`. */
  readonly day: string;
  /** By the name of the configuration. */
  readonly walks: Readonly<Record<string, Result>>;
}

interface Result extends Pick<Walked, 'states' | 'transitions' | 'paths' | 'longest'> {
  readonly violations: number;
}

const FILE = new URL('./results.json', import.meta.url);

/** Writes walks down, in the place of earlier ones of the same fleets. */
export function writeResults(walks: readonly Walked[], day: string): void {
  const written = new Map(Object.entries(readResults().walks));
  for (const { configuration, violations, states, transitions, paths, longest } of walks) {
    const counts = { states, transitions, paths, longest, violations: violations.length };
    written.set(nameOf(configuration), counts);
  }
  const inOrder = CONFIGURATIONS.map(nameOf).flatMap((name) => {
    const result = written.get(name);
    return result === undefined ? [] : [[name, result]];
  });
  const results = { day, walks: Object.fromEntries(inOrder) };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** All walks together, and the day of the last of them. */
export function smallFleetTotals(): Result & { readonly day: string } {
  const { day, walks } = readResults();
  return { day, ...sumOf(Object.values(walks)) };
}

/** The walks that were written down last, as a part of the docs. */
export function smallFleetResults(): string {
  const { day, walks } = readResults();
  const fleets = Object.groupBy(CONFIGURATIONS, ({ endpoints, waves, onFailure, events }) =>
    [endpoints, `\`${waves}\``, `\`${onFailure}\``, wordOf(events)].join('|'),
  );
  const rows = Object.entries(fleets).flatMap(([fleet, configurations = []]) => {
    const walked = configurations.flatMap((one) => walks[nameOf(one)] ?? []);
    const { states, transitions, paths, longest, violations } = sumOf(walked);
    const counts = [states, transitions, paths, longest, violations];
    const part = `${walked.length} of ${configurations.length}`;
    const isPart = walked.length < configurations.length;
    const row = [`${fleet}${isPart ? `, ${part}` : ''}`.split('|'), counts.map(grouped)].flat();
    return walked.length === 0 ? [] : [row];
  });
  const { states, transitions, paths, violations } = sumOf(Object.values(walks));
  const found = violations === 0 ? '**no violation**' : `${violations} violations`;
  return [
    `The walks that were written down last, of ${day}: ${grouped(states)} states, ${grouped(transitions)} transitions, ${grouped(paths)} orders of events, and ${found}.`,
    tableOf(
      [
        ...['endpoints', 'waves', 'failure policy', 'what may happen'],
        ...['states', 'transitions', 'orders of events', 'longest', 'violations'],
      ],
      rows,
    ),
  ].join('\n\n');
}

function wordOf(events: readonly Event[]): string {
  if (events.includes('pause')) return 'a pause, and at most one other';
  return events.length === 2 ? 'any two' : 'all five';
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function sumOf(results: readonly Result[]): Result {
  return results.reduce(
    (sum, one) => ({
      states: sum.states + one.states,
      transitions: sum.transitions + one.transitions,
      paths: sum.paths + one.paths,
      longest: Math.max(sum.longest, one.longest),
      violations: sum.violations + one.violations,
    }),
    { states: 0, transitions: 0, paths: 0, longest: 0, violations: 0 },
  );
}
