import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import type { Opening, Wait } from '../../lib/domain/rollout/wait.ts';

/** A rollout that was looked at then, and waits. @param said What differs from one that was accepted just now. */
export function notBegun(
  at: number,
  said: Partial<Wait> = {},
): { readonly wait: Wait; readonly opening: Opening } {
  const { wait, opening } = acceptedAt(at);
  return { wait: { ...(wait as Wait), ...said }, opening: opening as Opening };
}
