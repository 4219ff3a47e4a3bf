import fc from 'fast-check';
import { quieted, seldom } from './draw-holds.ts';
import type { Act, Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

// Three releases of one runtime at once: two of others beside the rollout.

const others: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('rival', 'rival', 'twin', 'lower', 'stale', 'absurd'),
  atSecond: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ max: 400, min: 21 }),
  ),
});

export const crowdBeside = ownStream(5, seldom(fc.array(others, { minLength: 2, maxLength: 2 })));

/** The newest of them wins. Nothing else disturbs them, and where a request is special, or the real client is there, it is left out. */
export function withCrowd(ordeal: Ordeal, crowd: readonly Act[] | null): Ordeal {
  const isSpecial = ordeal.wire !== null || ordeal.asked !== null || ordeal.undo !== null;
  if (crowd === null || isSpecial) return ordeal;
  const { policy, ...rest } = quieted(ordeal);
  return { ...rest, policy: { ...policy, onConflict: 'latest' }, people: crowd };
}
