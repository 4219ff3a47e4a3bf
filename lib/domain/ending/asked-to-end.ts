import type { Ending } from '../rollout/outcome.ts';
import type { LatestRequest } from '../turn/queue.ts';

// These are the endings of rollouts that somebody else ends, without a signal to them.

/** The reason of one that waited when a newer rollout had begun. */
export const OVERTAKEN = 'Overtaken';

export function endOvertaken(newest: Parameters<typeof describeNewer>[0]): Ending {
  return {
    outcome: 'Superseded',
    reason: OVERTAKEN,
    message: `Nothing was rolled: ${describeNewer(newest)}.`,
  };
}

/** `"rollout-2", to version 7, is the newer rollout of this runtime`. */
export function describeNewer({
  rolloutId,
  desiredVersion,
}: Pick<LatestRequest, 'rolloutId' | 'desiredVersion'>): string {
  const to = desiredVersion === null ? '' : `, to version ${desiredVersion},`;
  return `${JSON.stringify(rolloutId)}${to} is the newer rollout of this runtime`;
}

export function endInterrupted(hasRolled: boolean): Ending {
  const what = hasRolled ? 'endpoints in mid-roll go on by themselves' : 'nothing was rolled';
  return { outcome: 'Aborted', reason: 'Interrupted', message: `Interrupted: ${what}.` };
}
