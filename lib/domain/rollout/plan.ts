import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Direction } from '../endpoint/journal.ts';
import type { Ending } from './outcome.ts';

/** `from` to `to` (exclusive) in the plan's list of endpoints. */
export interface PlanRange {
  readonly from: number;
  readonly to: number;
}

/** Endpoints that are rolled together. */
export interface PlannedWave extends PlanRange {
  /** Seconds between its convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
}

/**
 * Why an endpoint is no work: at the version already, stopped, not in the selection; and for a rollback:
 * somebody else moved it, or nobody knows its previous version.
 */
export const LEFT_OUT_REASONS = [
  'at-version',
  'stopped',
  'not-selected',
  'moved',
  'previous-unknown',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export interface LeftOutEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  readonly reason: LeftOutReason;
}

/** Decided once, before the first write, and never changed. */
export interface RolloutPlan {
  readonly direction: Direction;
  /** In the order in which they are rolled. */
  readonly endpoints: readonly PlannedEndpoint[];
  readonly waves: readonly PlannedWave[];
  readonly leftOut: readonly LeftOutEndpoint[];
  /** Most endpoints in mid-roll at once: at least 1. */
  readonly maxUnavailable: number;
  /**
   * Of a plan forward: a status that counts as serving beside the configured words, because every endpoint showed it
   * when the plan was made; `null`: none showed any. @default - there is none
   */
  readonly restingStatus?: string | null;
}

/** The way back: planned once, when the rollout had failed. */
export interface Rollback {
  /** Why the rollout failed. */
  readonly cause: Ending;
  readonly plan: RolloutPlan;
}
