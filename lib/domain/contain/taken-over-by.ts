import { ErrorName } from '../errors.ts';
import type { Outcome } from '../outcome.ts';

/** How a rollout ended whose process died, when another one took its runtime. */
export function takenOverBy(rolloutId: string): Outcome {
  return {
    outcome: 'Errored',
    cleanup: 'incomplete',
    reason: ErrorName.LeaseLost,
    message: `Its process died, and rollout ${JSON.stringify(rolloutId)} has taken the runtime over. Endpoints in mid-roll went on by themselves.`,
  };
}
