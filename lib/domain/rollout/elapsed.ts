import type { AskedRollout } from './record.ts';

/**
 * How many milliseconds a rollout took up to its end, or has taken up to `now`: from its start on, as far as it was
 * watched. By how much the clock was set back meanwhile is added, because that time was there.
 *
 * @param now Milliseconds since the Unix epoch.
 */
export function elapsedOf(
  {
    startedAt,
    endedAt,
    events,
    progress,
  }: Pick<AskedRollout, 'startedAt' | 'endedAt' | 'events' | 'progress'>,
  now: number,
): number {
  const end = endedAt ?? now;
  const { setBackMs = 0, readAt = end } = progress ?? {};
  // Before the first look, and after the last one.
  const openedAt = events[0]?.at ?? startedAt;
  const besidesMs = Math.max(0, startedAt - openedAt) + Math.max(0, readAt - end);
  return Math.max(0, end - startedAt + setBackMs + besidesMs);
}
