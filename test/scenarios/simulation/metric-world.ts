import type { Series } from '../../../lib/gates/metric-rule.ts';
import { START } from '../../support/scenario-time.ts';
import type { GateFault } from './ordeal.ts';

// What the metrics of a simulated fleet are: one value for each minute, which is a good one or a bad one.

/** The name of an endpoint; `null`: the whole runtime. */
export type Subject = string | null;

const MINUTE_MS = 60_000;

/** An answer of GetMetricData has at most so many data points. */
const MOST_MINUTES = 100_800;

type Values = Readonly<Record<string, number>>;

const LATENCIES = { p99: 1.5, Minimum: 0.5, SampleCount: 100 };

const GOOD: Readonly<Record<string, Values>> = {
  Errors: { Sum: 0, Maximum: 0, SampleCount: 100 },
  Calls: { Sum: 100, SampleCount: 100 },
  Latency: { ...LATENCIES, Sum: 100, Maximum: 1.5 },
  Health: { Minimum: 1, p50: 1 },
};

const BAD: Readonly<Record<string, Values>> = {
  ...GOOD,
  Errors: { Sum: 30, Maximum: 30, SampleCount: 100 },
  Latency: { ...LATENCIES, Sum: 500, Maximum: 9, p99: 9 },
  Health: { Minimum: 0, p50: 0 },
};

/** How a minute was. */
export type Minute = 'good' | 'bad' | 'silent';

export function isFaulty(minute: Minute): boolean {
  return minute !== 'good';
}

/** What a metric was in a minute. `undefined`: it had no data. */
export function valueIn(minute: Minute, { metric, statistic }: Series): number | undefined {
  return minute === 'silent' ? undefined : (minute === 'bad' ? BAD : GOOD)[metric]?.[statistic];
}

/** Each minute from one time to another, in milliseconds since the Unix epoch. */
export function minutesOf(
  faults: readonly GateFault[],
  subject: Subject,
  from: number,
  to: number,
): readonly Minute[] {
  const count = Math.max(0, Math.ceil((to - from) / MINUTE_MS));
  if (count > MOST_MINUTES) throw new Error(`Nobody answers ${count} minutes at once.`);
  return Array.from({ length: count }, (_, index) => {
    const second = (from - START) / 1000 + 60 * index;
    const says = faults.find((fault) => isMet(fault, subject, second))?.says;
    return says === 'bad' || says === 'silent' ? says : 'good';
  });
}

/** Whether a metric cannot be read now. */
export function isUnreadable(faults: readonly GateFault[], second: number): boolean {
  return faults.some(
    (fault) =>
      fault.gate === 'metric' &&
      fault.says === 'unreadable' &&
      second >= fault.fromSecond &&
      second < fault.fromSecond + fault.seconds,
  );
}

/** A minute is bad when it has a second of the fault in it. */
function isMet(fault: GateFault, subject: Subject, second: number): boolean {
  const { gate, says, endpoint, fromSecond, seconds } = fault;
  const isKind = gate === 'metric' && (says === 'bad' || says === 'silent');
  const isMeant = subject === null || subject === endpoint;
  return isKind && isMeant && second < fromSecond + seconds && second + 60 > fromSecond;
}
