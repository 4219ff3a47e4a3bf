export const DEFAULT_CATCH_UP_SECONDS = 3600;

/** A timer or a delivery may be late by this much, though nothing was missed: the least that EventBridge knows. */
const SHORTEST_SECONDS = 60;

/** Seconds after its time until which a schedule still starts its rollout. */
export function catchUpSecondsOf({
  catchUpSeconds = DEFAULT_CATCH_UP_SECONDS,
}: {
  readonly catchUpSeconds?: number | undefined;
}): number {
  return Math.max(catchUpSeconds, SHORTEST_SECONDS);
}
