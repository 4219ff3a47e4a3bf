import fc from 'fast-check';
import { ordeal } from './draw-ordeal.ts';
import { tryOrdeal } from './try-ordeal.ts';

export interface Draw {
  readonly count: number;
  readonly seed: number;
  /** Leads to one rollout of the seed, as a violation names it. @default - all of them are simulated */
  readonly path?: string;
}

export interface Violation {
  readonly seed: number;
  readonly path: string;
  readonly message: string;
  /** The smallest rollout that shows it, as JSON. */
  readonly smallest: string;
}

/** Simulates random rollouts in which everything goes wrong. Answers the first violation, with the smallest rollout. */
export async function simulate({ count, seed, path = '' }: Draw): Promise<Violation | null> {
  const property = fc.asyncProperty(ordeal, async (drawn) => void (await tryOrdeal(drawn)));
  const result = await fc.check(property, { numRuns: count, seed, path });
  if (!result.failed) return null;
  const { counterexamplePath, counterexample, errorInstance } = result;
  return {
    seed,
    path: counterexamplePath ?? '',
    message: `${errorInstance}`,
    smallest: JSON.stringify(counterexample?.[0]),
  };
}
