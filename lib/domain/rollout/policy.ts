import type { StatusWords } from '../endpoint/endpoint.ts';
import type { Weekday } from '../local-time.ts';

/** How a rollout is done. What is rolled comes from the trigger, how it is rolled from here. */
export interface RolloutPolicy {
  readonly selection: Selection;
  /** Cumulative sizes of the waves, rising; the last one is 100 %. */
  readonly waves: readonly Wave[];
  /** Most endpoints of the selection that may be in mid-roll at once. */
  readonly maxUnavailable: WaveSize;
  /** Endpoints of a wave that may fail or vanish while it still counts as converged; never all of them. */
  readonly failureThreshold: Tolerance;
  /** Seconds between a wave's convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
  /** Seconds between two reads of the list while something is expected to happen. */
  readonly pollSeconds: number;
  /** Seconds between two reads of the list at most: reads get rarer while nothing happens. */
  readonly maxPollSeconds: number;
  /** Seconds without progress after which a wave has failed. */
  readonly progressDeadlineSeconds: number;
  readonly onFailure: FailurePolicy;
  /**
   * A stop that would leave fewer endpoints of the runtime serving is kept back. A share is one of all listed
   * endpoints, stopped ones included, and rounded up.
   */
  readonly minServing: number | Tolerance;
  /** Endpoint ids or names that are never stopped. `*` stands for any run of characters. */
  readonly protect: readonly string[];
  /** Whether endpoints may be rolled to a version below the one that they have. */
  readonly allowDowngrade: boolean;
  /** Most that a version may be above the highest one that is live in the runtime. */
  readonly maxVersionStep: number;
  readonly verify: Verification;
  readonly statuses: StatusWords;
  /** When rollouts may start; none: at any time. */
  readonly windows: readonly DeploymentWindow[];
  /** When none may start all the same. */
  readonly freezes: readonly Freeze[];
  readonly outsideWindow: OutsideWindow;
  readonly onConflict: ConflictPolicy;
}

/** Which endpoints of the runtime are meant. `*` in a name stands for any run of characters. */
export interface Selection {
  /** Names, or ids where an endpoint has none. Together with `ids`; both empty: all endpoints. */
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** Names or ids that are left out of what the others say. */
  readonly exclude: readonly string[];
}

/** A number of endpoints, or a share of them: `percent` is above 0 and at most 100. */
export type WaveSize = { readonly endpoints: number } | { readonly percent: number };

/** The endpoints of one wave: as many as it takes to have so many in all, or those of these names. */
export type Wave = (WaveSize | { readonly names: readonly string[] }) & {
  /** Seconds, for this wave alone. @default - the policy's bakeSeconds */
  readonly bakeSeconds?: number | undefined;
};

/** A number of endpoints, or a share of them from 0 to 100; one of a wave is rounded down. */
export type Tolerance = { readonly endpoints: number } | { readonly percent: number };

export const FAILURE_POLICIES = ['stop-old', 'roll-back', 'hold'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** What is asked after the bake, besides that every endpoint is still converged. */
export interface Verification {
  /** A request to the URL of each endpoint of the wave. */
  readonly probe: Probe | null;
  /** Names of CloudWatch alarms that must be OK. */
  readonly alarms: readonly string[];
  /** A person has to say yes before the next wave starts. */
  readonly approval: Approval | null;
}

export interface Probe {
  /** Taken from the origin of the endpoint's URL: `/healthz`. */
  readonly path: string;
  /** The HTTP status of a pass. */
  readonly status: number;
  /** Requests until one passes. */
  readonly tries: number;
  /** For one request. */
  readonly timeoutSeconds: number;
  /** Hosts that may be asked, `*` standing for any run of characters but a dot. */
  readonly hosts: readonly string[];
  /** Whether the names of hosts may lead to addresses of a private network, or of this machine. */
  readonly privateNetwork: boolean;
}

export interface Approval {
  readonly timeoutSeconds: number;
  /** What nobody's answer counts as. */
  readonly onTimeout: 'approve' | 'reject';
}

/** A time of some days, as the clocks of a zone show it: `09:00`. */
export interface DeploymentWindow {
  /** The days on which it opens. */
  readonly days: readonly Weekday[];
  readonly from: string;
  /** The first minute after it. Before `from`: on the day after; `24:00` is the end of the day. */
  readonly to: string;
  /** Of the IANA database: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A time without rollouts, as the clocks of a zone show it: `2026-12-18T18:00`. */
export interface Freeze {
  readonly from: string;
  /** The first minute after it. */
  readonly to: string;
  /** Of the IANA database: `Europe/Berlin`. */
  readonly timeZone: string;
  readonly reason?: string | undefined;
}

/** What becomes of a rollout that is asked for outside of the windows or in a freeze. */
export const OUTSIDE_WINDOW = ['wait', 'refuse'] as const;
export type OutsideWindow = (typeof OUTSIDE_WINDOW)[number];

/** What becomes of a rollout that is asked for while another one of the runtime is under way. */
export const CONFLICT_POLICIES = ['refuse', 'latest'] as const;
type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
