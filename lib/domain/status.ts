import type { Endpoint } from './endpoint.ts';
import { matchesGlob } from './glob.ts';
import type { StatusWords } from './policy.ts';

/** A status that is a known failure. An unknown or missing status is neither good nor bad. */
export function isFailed(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(endpoint.status, statuses.failed);
}

export function isStopped(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(endpoint.status, statuses.stopped);
}

/**
 * target = live = desired, the status is neither a known failure nor stopped, and not known to have 0 replicas.
 * Fewer of them than before are no failure: that may be autoscaling, and nothing says how many there should be.
 */
export function isConverged(
  endpoint: Endpoint,
  desiredVersion: number,
  statuses: StatusWords,
): boolean {
  return (
    endpoint.targetVersion === desiredVersion &&
    endpoint.liveVersion === desiredVersion &&
    endpoint.replicas !== 0 &&
    !isFailed(endpoint, statuses) &&
    !isStopped(endpoint, statuses)
  );
}

/** Whether a status is one of these words; one that is not shown is none. */
export function matchesAny(status: string | null, words: readonly string[]): boolean {
  if (status === null) return false;
  const folded = status.toLowerCase();
  return words.some((word) => matchesGlob(word.toLowerCase(), folded));
}
