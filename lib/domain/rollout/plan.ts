import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Direction } from '../endpoint/journal.ts';
import type { Observation } from '../endpoint/observation.ts';
import type { Ending } from './outcome.ts';

/** A part of the plan's list of endpoints: the indexes `from` to `to`, without `to`. */
export interface PlanRange {
  readonly from: number;
  readonly to: number;
}

/** Endpoints that are rolled together. */
export interface PlannedWave extends PlanRange {
  /** Seconds between the wave's convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
}

/**
 * Why an endpoint is not rolled: it is at the version already, it is stopped, the selection leaves it out, or the
 * service moves it to every new version by itself. In a rollback also: somebody else moved it, or nobody knows its
 * previous version.
 */
export const LEFT_OUT_REASONS = [
  'at-version',
  'stopped',
  'not-selected',
  'moved-by-service',
  'moved',
  'previous-unknown',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export interface LeftOutEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  readonly reason: LeftOutReason;
}

/** The plan is decided once, before the first write, and never changed. */
export interface RolloutPlan {
  readonly direction: Direction;
  /** The endpoints in the order in which they are rolled. */
  readonly endpoints: readonly PlannedEndpoint[];
  readonly waves: readonly PlannedWave[];
  readonly leftOut: readonly LeftOutEndpoint[];
  /** How many endpoints may be in mid-roll at once; at least 1. */
  readonly maxUnavailable: number;
  /** How many endpoints may be in mid-roll or lost together, in all waves; at least 1. @default - there is no limit */
  readonly maxAtRisk?: number;
  /**
   * Only in a plan forward: a status that counts as serving besides the configured words, because every endpoint
   * showed it when the plan was made. `null`: no endpoint showed any status. @default - there is no such status
   */
  readonly restingStatus?: string | null;
  /** The service cannot stop endpoints. @default - it can */
  readonly cannotStop?: true;
}

/** A rollback. It is planned once, after the rollout has failed. */
export interface Rollback {
  /** Why the rollout failed. */
  readonly cause: Ending;
  readonly plan: RolloutPlan;
  /** What was last seen of the endpoints of the plan forward, by their place in it. */
  readonly seen: readonly Observation[];
}
