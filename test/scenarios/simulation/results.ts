import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../../docs/markdown-table.ts';
import type { Counts, Tally } from './tally.ts';

/** What a run of simulations came to, as the docs show it. */
export interface Results {
  readonly tally: Tally;
  /** Of each hundred, the first and the last one. */
  readonly seeds: readonly [number, number];
  /** In how many hundreds something was violated. */
  readonly violations: number;
  /** The day on which the run ended, such as `2026-01-31`. */
  readonly day: string;
}

const FILE = new URL('./results.json', import.meta.url);

export function writeResults(results: Results): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

/** The results that were written last, as a part of the docs. */
export function simulationResults(): string {
  const { tally, seeds, violations, day } = readResults();
  const [first, last] = seeds;
  return [
    `The last run that was written down, of ${day}: ${describeTally(tally)}, with the seeds ${first} to ${last}. ` +
      `It has found ${violations === 0 ? '**no violation**' : `violations with ${violations} seeds`}.`,
    tableOf(
      ['end', 'rollouts'],
      byCount(tally.ends).map(([end, count]) => [end, grouped(count)]),
    ),
  ].join('\n\n');
}

/** Which faults the rollouts of that run have met, as a part of the docs. */
export function faultsMet(): string {
  return faultsTable(readResults().tally);
}

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

export function describeTally({ rollouts, seconds, requests }: Tally): string {
  const years = Number((seconds / (365.25 * 24 * 3600)).toPrecision(2));
  return `${grouped(rollouts)} rollouts, ${grouped(years)} years of virtual time, ${grouped(requests)} requests`;
}

/** In how many rollouts each fault was drawn, and in how many of these it was met. */
export function faultsTable({ drawn, met }: Tally): string {
  const names = Object.keys(drawn).toSorted();
  const rows = names.map((name) => [name, grouped(drawn[name]), grouped(met[name])]);
  return tableOf(['fault', 'drawn', 'met'], rows);
}

/** The most frequent first. */
export function byCount(counts: Counts): [string, number][] {
  return Object.entries(counts).toSorted(([, one], [, other]) => other - one);
}

export function grouped(count = 0): string {
  return count.toLocaleString('en');
}
