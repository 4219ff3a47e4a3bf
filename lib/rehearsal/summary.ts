import type { Cleanup, OutcomeKind } from '../domain/rollout/outcome.ts';
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
  /** How long a bad version was live on one endpoint, the longest time of each rehearsal with such a version. */
  readonly badVersion: Spread & {
    readonly runs: number;
    /** In how many of them it was still live somewhere at the end. */
    readonly liveAtEnd: number;
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

interface Tally {
  /** In how many rehearsals there were such endpoints. */
  readonly runs: number;
  /** The most endpoints of one rehearsal. */
  readonly most: number;
}

/** What can be worst. */
export type Measure = 'seconds' | 'inMidRoll' | 'serving' | 'stopped' | 'rolledBack' | 'badVersion';

interface Worst extends Omit<OutcomeCount, 'runs'> {
  readonly measure: Measure;
  readonly value: number;
}

/** @param runs At least one, in the order of their seeds. */
export function summarize(runs: readonly RehearsedRun[]): Summary {
  const bad = runs.filter(({ toll }) => toll.badSeconds > 0);
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
    badVersion: {
      runs: bad.length,
      ...spreadOf(bad.map(({ toll }) => toll.badSeconds)),
      liveAtEnd: bad.filter(({ toll }) => toll.badAtEnd > 0).length,
    },
    requests: spreadOf(runs.map(({ requests }) => requests)),
    transitions: spreadOf(runs.map(({ transitions }) => transitions)),
    worst: worstOf(runs),
  };
}

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
  badVersion: ({ toll }) => toll.badSeconds,
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
    return [{ measure, value, seed, outcome, reason, cleanup }];
  });
}

function tallyOf(counts: readonly number[]): Tally {
  return { runs: counts.filter((count) => count > 0).length, most: Math.max(0, ...counts) };
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted(ascending);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), most: sorted.at(-1) ?? 0 };
}

/** The smallest value that at least this share of all values does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function ascending(one: number, other: number): number {
  return one - other;
}
