import type { StatusWords } from '../endpoint/endpoint.ts';
import type { Weekday } from '../local-time.ts';

/** How a rollout is done. The trigger says what is rolled, the policy says how. */
export interface RolloutPolicy {
  readonly selection: Selection;
  /** Cumulative sizes of the waves, rising. The last one is 100 %. */
  readonly waves: readonly Wave[];
  /** How many endpoints of the selection may be in mid-roll at once. */
  readonly maxUnavailable: WaveSize;
  /**
   * Only of a group: how many runtimes may be in mid-roll or lost together, in the whole rollout. It never keeps the
   * failure threshold from being used: one more than that is always allowed. @default - there is no such limit
   */
  readonly maxAtRisk?: number | undefined;
  /** How many endpoints of a wave may fail or vanish while the wave still counts as converged; never all of them. */
  readonly failureThreshold: Tolerance;
  /** Seconds between a wave's convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
  /** Seconds between two reads of the list while something is expected to happen. */
  readonly pollSeconds: number;
  /** The longest time between two reads of the list, in seconds: reads get rarer while nothing happens. */
  readonly maxPollSeconds: number;
  /** A wave that has made no progress for so many seconds has failed. */
  readonly progressDeadlineSeconds: number;
  readonly onFailure: OnFailure;
  /**
   * A stop that would leave fewer endpoints of the runtime serving is kept back. A share is a share of all listed
   * endpoints, stopped ones included, and is rounded up.
   */
  readonly minServing: number | Tolerance;
  /** Endpoint ids or names that are never stopped. `*` stands for any run of characters. */
  readonly protect: readonly string[];
  /** Whether endpoints may be rolled to a version below the one that they have. */
  readonly allowDowngrade: boolean;
  /** How far a version may be above the highest one that is live in the runtime. */
  readonly maxVersionStep: number;
  readonly verify: Verification;
  readonly statuses: StatusWords;
  /** When rollouts may start. An empty list means at any time. */
  readonly windows: readonly DeploymentWindow[];
  /** When no rollout may start, even in a window. */
  readonly freezes: readonly Freeze[];
  readonly outsideWindow: OutsideWindow;
  readonly onConflict: ConflictPolicy;
}

/** Selects endpoints of the runtime. `*` in a name stands for any run of characters. */
export interface Selection {
  /**
   * Names of endpoints. An endpoint without a name goes by its id. `names` and `ids` add up; both empty means all
   * endpoints.
   */
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** Names or ids of endpoints to leave out, although `names` and `ids` select them. */
  readonly exclude: readonly string[];
}

/** A number of endpoints, or a share of them: `percent` is above 0 and at most 100. */
export type WaveSize = { readonly endpoints: number } | { readonly percent: number };

/** The endpoints of one wave: either those with these names, or as many as it takes to reach this size in all. */
export type Wave = (WaveSize | { readonly names: readonly string[] }) & {
  /** Seconds for this wave alone. @default - the policy's bakeSeconds */
  readonly bakeSeconds?: number | undefined;
};

/** A number of endpoints, or a share of them from 0 to 100. A share of a wave is rounded down. */
export type Tolerance = { readonly endpoints: number } | { readonly percent: number };

export const FAILURE_POLICIES = ['stop-old', 'roll-back', 'hold'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/**
 * The two kinds of failure.
 * - `stuck`: an endpoint did not get to the version.
 * - `bad`: it got there and is no good. It was confirmed converged and is lost, a gate said no, or a person.
 */
export const FAILURE_KINDS = ['stuck', 'bad'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What follows a failure: one word for both kinds, or one for each. */
export type OnFailure = FailurePolicy | Readonly<Record<FailureKind, FailurePolicy>>;

/** What follows a failure of this kind. */
export function policyAfter(failure: FailureKind, onFailure: OnFailure): FailurePolicy {
  return typeof onFailure === 'string' ? onFailure : onFailure[failure];
}

/** Whether a failure of some kind would stop endpoints. */
export function mayStop(onFailure: OnFailure): boolean {
  return FAILURE_KINDS.some((kind) => policyAfter(kind, onFailure) === 'stop-old');
}

/** What is checked after the bake, besides that every endpoint is still converged. */
export interface Verification {
  /** A request to the URL of each endpoint of the wave. */
  readonly probe: Probe | null;
  /** Names of CloudWatch alarms that must be OK. */
  readonly alarms: readonly string[];
  /** Metrics of CloudWatch that must stay within their limits. */
  readonly metrics: readonly MetricRule[];
  /** A person has to approve before the next wave starts. */
  readonly approval: Approval | null;
}

export interface Probe {
  /** The path on the origin of the endpoint's URL: `/healthz`. */
  readonly path: string;
  /** The HTTP status that passes. */
  readonly status: number;
  /** How many requests are made until one passes. */
  readonly tries: number;
  /** Seconds for one request. */
  readonly timeoutSeconds: number;
  /** Hosts that may be asked. `*` stands for any run of characters without a dot. */
  readonly hosts: readonly string[];
  /** Whether host names may lead to addresses of a private network or of this machine. */
  readonly privateNetwork: boolean;
}

/** What a metric must be from the convergence of a wave on. */
export interface MetricRule {
  readonly namespace: string;
  readonly metric: string;
  /** `METRIC_PLACEHOLDERS` in `domain/wave/metrics.ts` are allowed in the values. */
  readonly dimensions: Readonly<Record<string, string>>;
  /** `Sum`, `SampleCount`, `Average`, `Maximum`, `Minimum`, or a percentile: `p99`, `p99.9`. */
  readonly statistic: string;
  /** Whole minutes. */
  readonly periodSeconds: number;
  /** How late data may come. */
  readonly delaySeconds: number;
  /** The metric by which this one is divided. `null`: by none. */
  readonly per: MetricDivisor | null;
  /** Which values are a no. */
  readonly limit: { readonly above: number } | { readonly below: number };
  /** What it means when the metric has no data, although the one in `per` has. */
  readonly noData: NoData;
}

/** Another metric of the same namespace and the same dimensions. */
export interface MetricDivisor {
  readonly metric: string;
  readonly statistic: 'Sum' | 'SampleCount';
  /** What it means when both metrics have no data, or are 0. */
  readonly noData: NoData;
}

/** `wait`: the answer is unknown, so the metric is asked again. */
export const NO_DATA = ['wait', 'pass', 'fail'] as const;
export type NoData = (typeof NO_DATA)[number];

export interface Approval {
  readonly timeoutSeconds: number;
  /** What happens when nobody answers in time. */
  readonly onTimeout: 'approve' | 'reject';
}

/** A time on some days, as the clocks of a zone show it: `09:00`. */
export interface DeploymentWindow {
  /** The days on which the window opens. */
  readonly days: readonly Weekday[];
  readonly from: string;
  /**
   * The first minute after the window. When it is before `from`, the window ends on the next day. `24:00` is the end
   * of the day.
   */
  readonly to: string;
  /** Name of a zone in the IANA database: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A time without rollouts, as the clocks of a zone show it: `2026-12-18T18:00`. */
export interface Freeze {
  readonly from: string;
  /** The first minute after the freeze. */
  readonly to: string;
  /** Name of a zone in the IANA database: `Europe/Berlin`. */
  readonly timeZone: string;
  readonly reason?: string | undefined;
}

/** What happens to a rollout that is asked for outside the windows or in a freeze. */
export const OUTSIDE_WINDOW = ['wait', 'refuse'] as const;
export type OutsideWindow = (typeof OUTSIDE_WINDOW)[number];

/** What happens to a rollout that is asked for while another one of the same runtime is under way. */
export const CONFLICT_POLICIES = ['refuse', 'latest'] as const;
type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
