import { ErrorName } from '../errors.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import { decideWindow } from './window.ts';

/** When a rollout that is asked for now would begin. Times are milliseconds since the Unix epoch. */
export interface Begin {
  /** `null`: it would be refused, or it waits for another rollout. */
  readonly at: number | null;
  /** When it would end, if all goes well. `null`: nobody can say. */
  readonly endsAt: number | null;
  /** Why it would not begin at once, in a sentence. `null`: it would. */
  readonly message: string | null;
}

/**
 * Foresees when a rollout would begin and end that is asked for at `now`, in milliseconds since the Unix epoch.
 *
 * @param underWay Id of the rollout that has the runtime's lease. `null`: none has it.
 * @param seconds How long the rollout takes.
 */
export function foresee(
  policy: Pick<RolloutPolicy, 'windows' | 'freezes' | 'outsideWindow' | 'onConflict'>,
  underWay: string | null,
  seconds: number,
  now: number,
): Begin {
  const window = decideWindow(policy, now);
  if (window.decision === 'refuse') {
    return { at: null, endsAt: null, message: `${ErrorName.OutsideWindow}: ${window.message}` };
  }
  // Whoever waits for a window looks for other rollouts only after that wait.
  if (underWay !== null && window.decision === 'go') {
    const rollout = `Rollout ${underWay} of this runtime is under way`;
    const message =
      policy.onConflict === 'latest'
        ? `${rollout}: a start waits until that one has given way or ended.`
        : `${ErrorName.LeaseHeld}: ${rollout}, and the policy lets none wait for it.`;
    return { at: null, endsAt: null, message };
  }
  const at = window.decision === 'go' ? now : window.until;
  const message = window.decision === 'go' ? null : window.message;
  return { at, endsAt: at + seconds * 1000, message };
}
