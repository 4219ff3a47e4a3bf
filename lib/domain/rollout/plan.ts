import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Stored } from '../stored.ts';
import type { rollback, rolloutPlan } from './stored.ts';

/** A part of the plan's list of endpoints: the indexes `from` to `to`, without `to`. */
export type PlanRange = Pick<PlannedWave, 'from' | 'to'>;

export type PlannedWave = RolloutPlan['waves'][number];

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

export type LeftOutEndpoint = RolloutPlan['leftOut'][number];

/** The plan is decided once, before the first write, and never changed. */
export interface RolloutPlan extends Stored<typeof rolloutPlan> {
  readonly endpoints: readonly PlannedEndpoint[];
}

/** A rollback. It is planned once, after the rollout has failed. */
export interface Rollback extends Stored<typeof rollback> {}
