import type { Instant, Ms } from '../clock.ts';
import type { AskedRollout } from './record.ts';

/**
 * How long a rollout took up to its end, or has taken up to `now`: from its start on. When the clock says less than the
 * rollout was watched, it was set back meanwhile, and what was watched is the time that it took.
 */
export function elapsedOf(
  { startedAt, endedAt, progress }: Pick<AskedRollout, 'startedAt' | 'endedAt' | 'progress'>,
  now: Instant,
): Ms {
  const end = endedAt ?? now;
  const { at = end, watched = 0 } = progress?.clock ?? {};
  return Math.max(end - startedAt, watched + Math.max(0, end - at));
}
