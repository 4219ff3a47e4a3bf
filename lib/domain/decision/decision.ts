import { findOldEndpoints } from '../containment/old-endpoints.ts';
import { UNEXPLAINED } from '../ending/error.ts';
import { legOf } from '../endpoint/leg.ts';
import { failingOf } from '../rollout/event.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import { type FailurePolicy, policyAfter } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

/**
 * What the workflow does next. An index is a place in the plan's list of endpoints.
 * - `queue`: it is not this rollout's turn yet; try to open it again after so many seconds.
 * - `wait`: read the list again after so many seconds.
 * - `bake`: look again after so many seconds whether the wave may be trusted.
 * - `roll`: roll these endpoints of this wave, then wait.
 * - `contain`: the rollout has failed; the failure policy decides what happens to these old endpoints.
 * - `close`: nothing is left to do.
 */
export type Decision =
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'wait'; readonly seconds: number }
  | { readonly next: 'bake'; readonly seconds: number; readonly waitsFor?: 'approval' }
  | {
      readonly next: 'roll';
      readonly wave: number;
      readonly indexes: readonly number[];
      readonly seconds: number;
    }
  | {
      readonly next: 'contain';
      readonly onFailure: FailurePolicy;
      readonly ending: Ending;
      readonly oldEndpoints: readonly number[];
    }
  | { readonly next: 'close'; readonly ending: Ending };

/**
 * The rollout has failed, and its failure policy follows. The old endpoints are those of the last look. The workflow
 * gets ranges of them, and these are only limits: nothing outside is stopped. In a range the step of the stops finds
 * the old endpoints again, and before each stop `decideStop` decides on a new list.
 */
export function contain(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  ending: Ending,
  onFailure: FailurePolicy = policyAfter(
    ending.failure ?? 'stuck',
    record.request.policy.onFailure,
  ),
): Decision {
  const oldEndpoints = findOldEndpoints(record, plan, progress);
  return { next: 'contain', onFailure, ending, oldEndpoints };
}

/**
 * What was told stays true: once a rollout has told that it fails, its failure policy is carried out for that reason,
 * whatever the endpoints show by now. An abort that came later is followed after that.
 */
export function containAsTold(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const failing = failingOf(record.events);
  if (failing === undefined || legOf(plan).after === 'close') return undefined;
  return contain(record, plan, progress, failing.cause, failing.onFailure);
}

/** Ends a leg that contains a failure, with its first reason. `trouble` says what kept it from going on. */
export function endRollback(
  { rollback }: Pick<RolloutRecord, 'rollback'>,
  trouble?: string,
): Decision {
  const cause = rollback?.cause ?? UNEXPLAINED;
  const message = trouble === undefined ? cause.message : `${cause.message} ${trouble}`;
  return { next: 'close', ending: { ...cause, message } };
}
