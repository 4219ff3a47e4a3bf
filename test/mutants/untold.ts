import { isMeant, type KnownMutant } from './known-mutant.ts';
import type { Mutant } from './mutant.ts';
import { UNTOLD_IN_ENDPOINTS } from './untold-in-endpoints.ts';
import { UNTOLD_IN_FRAME } from './untold-in-frame.ts';
import { UNTOLD_IN_WAVES } from './untold-in-waves.ts';
import { UNTOLD_IN_WRITES } from './untold-in-writes.ts';

/**
 * Mutants that work out something else in a rollout of the simulation, or might, and that break no promise: each with
 * the reason why no judge can tell them. They are tried, and count as not found.
 */
export const UNTOLD: readonly KnownMutant[] = [
  ...UNTOLD_IN_ENDPOINTS,
  ...UNTOLD_IN_WAVES,
  ...UNTOLD_IN_WRITES,
  ...UNTOLD_IN_FRAME,
];

/** `null`: somebody has to write a judge, or the reason why none can tell it. */
export function reasonFor(mutant: Mutant): string | null {
  return UNTOLD.find((entry) => isMeant(entry, mutant))?.why ?? null;
}
