import type { Cleanup, OutcomeKind } from '../domain/rollout/outcome.ts';
import type { BadNight } from './bad-night.ts';
import type { Rehearsed } from './rehearse.ts';

/** One of many rehearsals: what the summary needs of it. */
export interface RehearsedRun
  extends Pick<Rehearsed, 'seconds' | 'stopped' | 'rolledBack' | 'toll'> {
  readonly seed: number;
  readonly outcome: OutcomeKind;
  readonly reason: string;
  readonly cleanup: Cleanup;
  /** Requests to the service. */
  readonly requests: number;
  readonly transitions: number;
}

export function toRun(seed: number, rehearsed: Rehearsed): RehearsedRun {
  const { outcome, seconds, calls, stopped, rolledBack, toll } = rehearsed;
  const { rolls, stops, listReads, transitions } = calls;
  return {
    seed,
    outcome: outcome.outcome,
    reason: outcome.reason,
    cleanup: outcome.cleanup,
    seconds,
    stopped,
    rolledBack,
    requests: rolls + stops + listReads,
    transitions,
    toll,
  };
}

/** What becomes of a policy in many rehearsals. Times are in seconds. */
export interface Summary {
  readonly runs: number;
  /** The most frequent one first. */
  readonly outcomes: readonly OutcomeCount[];
  readonly durations: Spread;
  /** Endpoints in mid-roll at once, the most of each rehearsal. */
  readonly inMidRoll: Spread;
  /** Endpoints that certainly answered, the fewest of each rehearsal. */
  readonly serving: { readonly p50: number; readonly p95: number; readonly fewest: number };
  readonly stopped: Tally;
  readonly rolledBack: Tally;
  /** How long a version was bad, from its first sign on. `null`: it was still live when the rollout ended. */
  readonly badVersion: OpenSpread & {
    /** In how many rehearsals it was live. */
    readonly runs: number;
    /** From the first sign until the rollout failed, where it did. */
    readonly seenAfter: OpenSpread;
    /** From the first sign of an endpoint until its way back was sent, where one was. */
    readonly sentBackAfter: OpenSpread;
    /** In how many of them it was seen, and sent back. */
    readonly seen: number;
    readonly sentBack: number;
    /** In how many of them it was still live somewhere at the end, and in how many of these it could have been seen. */
    readonly liveAtEnd: number;
    readonly liveThoughSeen: number;
  };
  readonly requests: Spread;
  readonly transitions: Spread;
  /** For each measure the rehearsal in which it was worst. */
  readonly worst: readonly Worst[];
}

interface OutcomeCount {
  readonly outcome: OutcomeKind;
  readonly reason: string;
  readonly cleanup: Cleanup;
  readonly runs: number;
  /** The first rehearsal that ended so. */
  readonly seed: number;
}

/** Half of the values are at most `p50`, and 95 % at most `p95`. */
interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

/** `null`: it has no end, or there is no value at all. */
type OpenSpread = { readonly [At in keyof Spread]: number | null };

interface Tally {
  /** In how many rehearsals there were such endpoints. */
  readonly runs: number;
  /** The most endpoints of one rehearsal. */
  readonly most: number;
}

export type Measure =
  | 'seconds'
  | 'inMidRoll'
  | 'serving'
  | 'stopped'
  | 'rolledBack'
  | 'badVersion'
  | 'sentBackAfter';

interface Worst extends Omit<OutcomeCount, 'runs'> {
  readonly measure: Measure;
  /** `null`: a bad version that was still live at the end. */
  readonly value: number | null;
}

/** @param runs At least one, in the order of their seeds. */
export function summarize(runs: readonly RehearsedRun[]): Summary {
  const serving = runs.map(({ toll }) => toll.fewestServing).toSorted(ascending);
  return {
    runs: runs.length,
    outcomes: countOutcomes(runs),
    durations: spreadOf(runs.map(({ seconds }) => seconds)),
    inMidRoll: spreadOf(runs.map(({ toll }) => toll.mostInMidRoll)),
    serving: {
      // Few are bad here, so the spread is told from the other end.
      p50: quantile(serving.toReversed(), 0.5),
      p95: quantile(serving.toReversed(), 0.95),
      fewest: serving[0] ?? 0,
    },
    stopped: tallyOf(runs.map(({ stopped }) => stopped)),
    rolledBack: tallyOf(runs.map(({ rolledBack }) => rolledBack)),
    badVersion: sumUpNights(runs.flatMap(({ toll }) => toll.badVersion ?? [])),
    requests: spreadOf(runs.map(({ requests }) => requests)),
    transitions: spreadOf(runs.map(({ transitions }) => transitions)),
    worst: worstOf(runs),
  };
}

function sumUpNights(nights: readonly BadNight[]): Summary['badVersion'] {
  const seen = nights.flatMap(({ seenAfter }) => seenAfter ?? []);
  const sentBack = nights.flatMap(({ sentBackAfter }) => sentBackAfter ?? []);
  return {
    runs: nights.length,
    ...openSpreadOf(nights.map(({ badFor }) => badFor ?? ENDLESS)),
    seenAfter: openSpreadOf(seen),
    sentBackAfter: openSpreadOf(sentBack),
    seen: seen.length,
    sentBack: sentBack.length,
    liveAtEnd: nights.filter(({ liveAtEnd }) => liveAtEnd > 0).length,
    liveThoughSeen: nights.filter(({ isLiveThoughSeen }) => isLiveThoughSeen).length,
  };
}

/** Longer than any other time. */
const ENDLESS = Number.POSITIVE_INFINITY;

function countOutcomes(runs: readonly RehearsedRun[]): OutcomeCount[] {
  const counts = new Map<string, OutcomeCount>();
  for (const { outcome, reason, cleanup, seed } of runs) {
    const key = JSON.stringify([outcome, reason, cleanup]);
    const before = counts.get(key) ?? { outcome, reason, cleanup, runs: 0, seed };
    counts.set(key, { ...before, runs: before.runs + 1 });
  }
  return [...counts.values()].toSorted(
    (one, other) => other.runs - one.runs || one.seed - other.seed,
  );
}

const MEASURES: Readonly<Record<Measure, (run: RehearsedRun) => number>> = {
  seconds: ({ seconds }) => seconds,
  inMidRoll: ({ toll }) => toll.mostInMidRoll,
  serving: ({ toll }) => toll.fewestServing,
  stopped: ({ stopped }) => stopped,
  rolledBack: ({ rolledBack }) => rolledBack,
  badVersion: ({ toll: { badVersion } }) =>
    badVersion === null ? 0 : (badVersion.badFor ?? ENDLESS),
  sentBackAfter: ({ toll }) => toll.badVersion?.sentBackAfter ?? 0,
};

/** A measure that is 0 in every rehearsal has no worst one, unless 0 is what is bad. */
function worstOf(runs: readonly RehearsedRun[]): Worst[] {
  return Object.entries(MEASURES).flatMap(([name, read]) => {
    const measure = name as Measure;
    const sign = measure === 'serving' ? -1 : 1;
    const [first, ...rest] = runs;
    if (first === undefined) return [];
    const worst = rest.reduce((so, run) => (sign * read(run) > sign * read(so) ? run : so), first);
    const { seed, outcome, reason, cleanup } = worst;
    const value = read(worst);
    if (value === 0 && measure !== 'serving') return [];
    return [{ measure, value: value === ENDLESS ? null : value, seed, outcome, reason, cleanup }];
  });
}

function tallyOf(counts: readonly number[]): Tally {
  return { runs: counts.filter((count) => count > 0).length, most: Math.max(0, ...counts) };
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted(ascending);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), most: sorted.at(-1) ?? 0 };
}

function openSpreadOf(values: readonly number[]): OpenSpread {
  const { p50, p95, most } = spreadOf(values);
  const told = (value: number) => (values.length === 0 || value === ENDLESS ? null : value);
  return { p50: told(p50), p95: told(p95), most: told(most) };
}

/** The smallest value that at least this share of all values does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function ascending(one: number, other: number): number {
  return one - other;
}
