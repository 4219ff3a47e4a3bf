import { endByAbort, heedAbort } from '../contain/end-by-abort.ts';
import { endRollback } from '../contain/end-rollback.ts';
import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision, Ending } from '../decision.ts';
import type { WaveProgress } from '../observation.ts';
import type { FailurePolicy } from '../policy.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { findAbort, mayWrite } from '../signal.ts';

/**
 * Ends a rollout that a person has aborted: what was rolled stays as it is unless they asked for more. A way
 * back goes on only where that is what they asked for; what is not back by then stays as it is.
 */
export function decideAbort(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const { signals } = record;
  const abort = findAbort(signals);
  if (abort === undefined) return undefined;
  if (plan.direction === 'back') {
    return mayWrite('roll-back', signals) ? undefined : endRollback(record);
  }
  return {
    next: 'contain',
    onFailure: abort.onFailure ?? 'hold',
    ending: endByAbort(abort),
    oldEndpoints: findOldEndpoints(record, plan, progress),
  };
}

/**
 * What an abort still asks for that was accepted when the rollout had decided how to end: to stop or to roll back
 * after all. `undefined` where nothing is left to do but to close it.
 *
 * @param done What was done about the old endpoints already. @default - nothing
 */
export function decideLateAbort(
  record: RolloutRecord,
  ending: Ending,
  done?: FailurePolicy,
): Decision | undefined {
  const { plan, progress, rollback, signals } = record;
  const asked = findAbort(signals)?.onFailure ?? 'hold';
  if (plan === null || progress === null || rollback !== null) return undefined;
  if (asked === 'hold' || asked === done) return undefined;
  return {
    next: 'contain',
    onFailure: asked,
    ending: heedAbort(ending, signals),
    oldEndpoints: findOldEndpoints(record, plan, progress),
  };
}
