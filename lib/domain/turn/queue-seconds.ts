const SHORTEST_SECONDS = 15;
const LONGEST_SECONDS = 300;

/** Nobody waits longer for a rollout that does not give way; the wait for a window is not counted. */
export const LONGEST_QUEUE_SECONDS = 24 * 3600;

/**
 * Seconds until the next try to get the lease: a tenth of what was waited, so that a day of waiting is
 * some 330 tries and 3,000 events of the execution's history of 25,000.
 */
export function queueSeconds(waitedSeconds: number): number {
  const seconds = Math.ceil(waitedSeconds / 10);
  return Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, seconds));
}
