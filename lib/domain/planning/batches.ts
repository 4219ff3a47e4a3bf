import type { PlanRange } from '../rollout/plan.ts';

/** Packs rising positions into ranges without gaps: at most `limit` ranges of at most `size` positions. */
export function toBatches(positions: readonly number[], size: number, limit: number): PlanRange[] {
  const batches: { from: number; to: number }[] = [];
  for (const position of positions) {
    const last = batches.at(-1);
    if (last !== undefined && last.to === position && last.to - last.from < size) {
      last.to = position + 1;
    } else {
      batches.push({ from: position, to: position + 1 });
    }
  }
  return batches.slice(0, limit);
}

/**
 * How many endpoints one call of the roll function writes to. The call reads the list and then makes up to 100
 * writes, 8 at a time. When those take long, it reads the list again, at most every 15 s, and it ends after 200 s.
 */
export const ROLL_BATCH_SIZE = 100;

/**
 * How many endpoints one call of the stop function looks at. Just before each stop it reads the complete list: the
 * function's 600 s leave 24 s for each. 10,000 old endpoints make 400 batches, which take 60 KB of the 128 KiB that a
 * state may carry.
 */
export const STOP_BATCH_SIZE = 25;

/** How many batches one pass through the workflow hands out. The rest waits for the next poll. */
export const MAX_BATCHES = 40;

/**
 * Packs rising positions into ranges of at most `size` of them, whatever lies between them. That makes few ranges
 * even from scattered positions. It is for work that looks at every endpoint of a range anew.
 */
export function toSpans(positions: readonly number[], size: number): PlanRange[] {
  const spans: PlanRange[] = [];
  for (let index = 0; index < positions.length; index += size) {
    const group = positions.slice(index, index + size);
    spans.push({ from: group[0] ?? 0, to: (group.at(-1) ?? 0) + 1 });
  }
  return spans;
}
