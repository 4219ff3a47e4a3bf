import type { PlanRange } from '../rollout-plan.ts';

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
