import type { PlanRange } from '../rollout/plan.ts';

/** Packs rising indexes into ranges without gaps: at most `limit` ranges of at most `size` indexes. */
export function toBatches(indexes: readonly number[], size: number, limit: number): PlanRange[] {
  const batches: { from: number; to: number }[] = [];
  for (const index of indexes) {
    const last = batches.at(-1);
    if (last !== undefined && last.to === index && last.to - last.from < size) {
      last.to = index + 1;
    } else {
      batches.push({ from: index, to: index + 1 });
    }
  }
  return batches.slice(0, limit);
}

/** How many batches one pass through the workflow hands out. The rest waits for the next poll. */
export const MAX_BATCHES = 40;

const LEAST_ROLL_BATCH = 100;
const LARGEST_ROLL_BATCH = 1_000;

/** So many batches, and some smaller ones, roll a plan of more than 5,000 endpoints. */
const BATCHES_OF_PLAN = 50;

/**
 * How many endpoints one call of the roll function writes to. The call reads the rollout and the list, which both grow
 * with the plan, and then makes its writes, 8 at a time. So a batch grows with the plan, too, and their number does not.
 * When the writes take long, the call reads the list again, at most every 10 s, and it ends after 200 s: enough for
 * 1,000 writes of more than a second.
 */
export function rollBatchSizeOf(planned: number): number {
  const share = Math.ceil(planned / BATCHES_OF_PLAN);
  return Math.min(LARGEST_ROLL_BATCH, Math.max(LEAST_ROLL_BATCH, share));
}

/** How many runtimes of a group begin between two looks. A new account of AWS runs 10 functions at once. */
const CHILDREN_AT_ONCE = 8;

/** How many may begin to roll between two looks. Only groups limit what is at risk, so a limit says that these are runtimes. */
export function mostAtALook(maxAtRisk: number | undefined): number {
  return maxAtRisk === undefined ? Number.POSITIVE_INFINITY : CHILDREN_AT_ONCE;
}

const LEAST_STOP_BATCH = 25;
const MOST_STOP_BATCHES = 250;

/**
 * How many endpoints one call of the stop function looks at. Just before each stop it reads the complete list: the
 * function's 600 s leave 24 s for each of 25. However many old endpoints there are, they make 250 batches at most:
 * with the longest names these take 117 KB of the 128 KiB that a state may carry.
 */
export function stopBatchSizeOf(oldEndpoints: number): number {
  return Math.max(LEAST_STOP_BATCH, Math.ceil(oldEndpoints / MOST_STOP_BATCHES));
}

/**
 * Packs rising indexes into ranges of at most `size` of them, whatever lies between them. That makes few ranges
 * even from scattered indexes. It is for work that looks at every endpoint of a range anew.
 */
export function toSpans(indexes: readonly number[], size: number): PlanRange[] {
  const spans: PlanRange[] = [];
  for (let from = 0; from < indexes.length; from += size) {
    const group = indexes.slice(from, from + size);
    spans.push({ from: group[0] ?? 0, to: (group.at(-1) ?? 0) + 1 });
  }
  return spans;
}
