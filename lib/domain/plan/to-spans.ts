import type { PlanRange } from '../rollout-plan.ts';

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
