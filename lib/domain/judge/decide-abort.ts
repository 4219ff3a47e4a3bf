import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision } from '../decision.ts';
import type { WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';

/**
 * Ends a rollout that a person has aborted: what was rolled stays as it is unless they asked for more.
 * A rollback that is under way goes on, because ending it half-way helps nobody.
 */
export function decideAbort(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  // Whoever says more after a first abort means it.
  const signal = record.signals.findLast(({ kind }) => kind === 'abort');
  if (signal === undefined || plan.direction === 'back') return undefined;
  const { by, reason, onFailure = 'hold' } = signal;
  return {
    next: 'contain',
    onFailure,
    ending: {
      outcome: 'Aborted',
      reason: 'Aborted',
      message: `Aborted by ${by}${reason === '' ? '' : `: ${reason}`}.`,
    },
    oldEndpoints: findOldEndpoints(record, plan, progress),
  };
}
