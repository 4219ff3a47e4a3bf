import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Stored } from '../stored.ts';
import type { rollback, rolloutPlan } from './stored.ts';

/** A part of the plan's list of endpoints: the indexes `from` to `to`, without `to`. */
export type PlanRange = Pick<PlannedWave, 'from' | 'to'>;

export type PlannedWave = RolloutPlan['waves'][number];

/** Why an endpoint is not rolled, in words for people. The last two are reasons of a rollback alone. */
export const LEFT_OUT_WORDS = {
  'at-version': 'at the version already',
  stopped: 'stopped already',
  'not-selected': 'not selected',
  'attribute-unknown': 'without an attribute that the selection asks for',
  'moved-by-service': 'moved by the service itself',
  pinned: 'pinned',
  moved: 'elsewhere or gone by now',
  'previous-unknown': 'without a known previous version',
};
export type LeftOutReason = keyof typeof LEFT_OUT_WORDS;
export const LEFT_OUT_REASONS = Object.keys(LEFT_OUT_WORDS) as readonly LeftOutReason[];

export type LeftOutEndpoint = RolloutPlan['leftOut'][number];

/** The plan is decided once, before the first write, and never changed. */
export interface RolloutPlan extends Stored<typeof rolloutPlan> {
  readonly endpoints: readonly PlannedEndpoint[];
}

/** A rollback. It is planned once, after the rollout has failed. */
export interface Rollback extends Stored<typeof rollback> {}
