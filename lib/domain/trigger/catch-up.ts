export const DEFAULT_CATCH_UP_SECONDS = 3600;

/** A start that is less late is not missed: timers need some time, too, and EventBridge allows no smaller value. */
const SHORTEST_SECONDS = 60;

/** For how many seconds after its time a schedule may still start its rollout. */
export function catchUpSecondsOf({
  catchUpSeconds = DEFAULT_CATCH_UP_SECONDS,
}: {
  readonly catchUpSeconds?: number | undefined;
}): number {
  return Math.max(catchUpSeconds, SHORTEST_SECONDS);
}
