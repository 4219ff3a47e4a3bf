import type { PlanRange } from '../rollout/plan.ts';

/** Packs rising positions into ranges without gaps of at most `size` each, at most `limit` of them. */
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
 * Endpoints that one call of the roll function writes to. It reads the list and then has up to 100 writes to
 * make, 8 at a time. Where those take long it reads the list again, every 15 s at most, and ends after 200 s.
 */
export const ROLL_BATCH_SIZE = 100;

/**
 * Endpoints that one call of the stop function looks at. Each stop has a complete list read of its
 * own just before it: 24 s for each in the function's 600 s. 10,000 old endpoints are 400 batches, and
 * those are 60 KB of the 128 KiB that a state may carry.
 */
export const STOP_BATCH_SIZE = 25;

/** Batches that one pass through the workflow hands out; what is left over waits for the next poll. */
export const MAX_BATCHES = 40;

/**
 * Packs rising positions into ranges of at most `size` of them each, whatever lies between: few ranges
 * even for scattered positions, for work that looks at every endpoint of a range anew.
 */
export function toSpans(positions: readonly number[], size: number): PlanRange[] {
  const spans: PlanRange[] = [];
  for (let index = 0; index < positions.length; index += size) {
    const group = positions.slice(index, index + size);
    spans.push({ from: group[0] ?? 0, to: (group.at(-1) ?? 0) + 1 });
  }
  return spans;
}
