import type { Ending } from '../decision.ts';
import { ErrorName } from '../errors.ts';
import type { Outcome } from '../outcome.ts';

/** How a rollout ended that let its lease run out, when another one took its runtime. */
export function takenOverBy(rolloutId: string): Outcome {
  return {
    outcome: 'Errored',
    cleanup: 'incomplete',
    reason: ErrorName.LeaseLost,
    message: `Its process died or stood still, and rollout ${JSON.stringify(rolloutId)} has taken the runtime over. Endpoints in mid-roll went on by themselves.`,
  };
}

/** What a process answers of a rollout that another process has, and that has not ended there yet. */
export const GOES_ON_ELSEWHERE: Ending = {
  outcome: 'Errored',
  reason: ErrorName.LeaseLost,
  message: 'Another process has this rollout, and goes on with it.',
};
