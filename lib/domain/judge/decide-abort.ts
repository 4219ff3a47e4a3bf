import { endByAbort } from '../contain/end-by-abort.ts';
import { endRollback } from '../contain/end-rollback.ts';
import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision } from '../decision.ts';
import type { WaveProgress } from '../observation.ts';
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
