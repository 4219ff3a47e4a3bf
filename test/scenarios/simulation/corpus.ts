import { readFileSync } from 'node:fs';
import { isWrite } from '../../../lib/rehearsal/calls.ts';
import type { Run } from '../../support/run-scenario.ts';
import type { Ordeal, OrdealPolicy } from './ordeal.ts';
import { QUIET } from './quiet.ts';

// Some places of the product are reached by one random rollout in ten thousand. Whenever a search meets a rollout that
// shows a mistake there, it is kept, as small as it can be made. `npm test` simulates all of them.

/** How it differs from the rollout in which nothing goes wrong. */
export type Difference = Partial<Omit<Ordeal, 'policy'>> & {
  readonly policy?: Partial<OrdealPolicy>;
};

/** What a rollout is kept for: a mistake that it shows, of the product or of a judge. */
export interface Kept {
  readonly shows: string;
  readonly drawn: Difference;
  /** What it came to with that mistake, and must not, whatever else is made anew. @default - judges say that */
  readonly never?: Never;
}

/** An end, such as `Failed, Stalled, kept`, or a write, such as `stop endpoint-02`, made so many times. */
export type Never = { readonly end: string } | { readonly write: string; readonly times: number };

/** A line for each of them. */
export const CORPUS_FILE = new URL('./corpus.jsonl', import.meta.url);

export const CORPUS = readKept(CORPUS_FILE);

/** A judge once objected to each of these, and they had kept every promise: the judge was wrong. */
export const ACQUITTED = readKept(new URL('./acquitted.jsonl', import.meta.url));

function readKept(file: URL): readonly Kept[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** A sentence if it has come to what it must not. */
export function cameTo({ never }: Pick<Kept, 'never'>, { outcome, calls, record }: Run): string[] {
  if (never === undefined) return [];
  const names = new Map(record?.plan?.endpoints.map((one) => [one.endpointId, one.name]));
  const writes = calls.filter(isWrite).map(({ operation, endpointId, version }) => {
    const written = `${operation} ${names.get(endpointId) ?? endpointId}`;
    return version === undefined ? written : `${written} to ${version}`;
  });
  const isCome =
    'end' in never
      ? never.end === [outcome.outcome, outcome.reason, outcome.cleanup].join(', ')
      : writes.filter((write) => write === never.write).length >= never.times;
  return isCome ? [`it came to what it must not: ${Object.values(never)}`] : [];
}

/** The acquitted one of which this is said. */
export function acquitted(shows: string): Ordeal {
  const kept = ACQUITTED.find((one) => one.shows === shows);
  if (kept === undefined) throw new Error(`Nothing was acquitted of which this is said: ${shows}`);
  return toOrdeal(kept.drawn);
}

export function toOrdeal({ policy, ...changes }: Difference): Ordeal {
  return { ...QUIET, ...changes, policy: { ...QUIET.policy, ...policy } };
}

export function differenceOf(drawn: Ordeal): Difference {
  const policy: Partial<OrdealPolicy> = changesOf(drawn.policy, QUIET.policy);
  const { policy: _, ...changes } = changesOf(drawn, QUIET);
  return Object.keys(policy).length === 0 ? changes : { ...changes, policy };
}

function changesOf<T extends object>(one: T, quiet: T): Partial<T> {
  const changed = Object.entries(one).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(quiet[key as keyof T]),
  );
  return Object.fromEntries(changed) as Partial<T>;
}
