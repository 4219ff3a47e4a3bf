import fc from 'fast-check';
import type { ListFault } from '../../../lib/rehearsal/faults.ts';
import { quieted, seldom } from './draw-holds.ts';
import type { Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

// Lists that are there and do not say where endpoints are, also for longer than a deadline.

const silence: fc.Arbitrary<ListFault> = fc.record({
  kind: fc.constantFrom('blind', 'aimless', 'lifeless', 'mum'),
  fromSecond: fc.integer({ min: 1, max: 400 }),
  seconds: fc.constantFrom(20, 100, 250, 900, 4_000),
});

export const silentBeside = ownStream(4, seldom(silence));

/** Where the real client is under a rollout, it is left out. */
export function withSilence(ordeal: Ordeal, silent: ListFault | null): Ordeal {
  if (silent === null || ordeal.wire !== null) return ordeal;
  const beside = silent.fromSecond % 3 === 0 ? ordeal : quieted(ordeal);
  return { ...beside, lists: [...beside.lists, silent] };
}
