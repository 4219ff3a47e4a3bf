import fc from 'fast-check';
import { type Course, courseOf } from './course.ts';
import { ordeal } from './draw-ordeal.ts';
import { NOTHING, sumOf, type Tally, tallyOf } from './tally.ts';
import type { Observed } from './to-script.ts';
import { tryOrdeal } from './try-ordeal.ts';

export interface Draw {
  readonly count: number;
  readonly seed: number;
  /** Leads to one rollout of the seed, as a violation names it. @default - all of them are simulated */
  readonly path?: string;
  /** Whether the courses are wanted. @default false */
  readonly isCompared?: boolean;
}

export interface Violation {
  readonly seed: number;
  readonly path: string;
  readonly message: string;
  /** The smallest rollout that shows it, as JSON. */
  readonly smallest: string;
}

export interface Simulated {
  /** `null`: nothing was violated. */
  readonly violation: Violation | null;
  /** Of the rollouts before the violation. */
  readonly tally: Tally;
  /** The course of each of these rollouts, by its name. `undefined`: nobody wanted them. */
  readonly courses?: Courses;
}

/** How rollouts went, by `seed/rollout`: the same names lead to the same draws as long as nobody draws otherwise. */
export type Courses = Readonly<Record<string, Course>>;

/**
 * Simulates random rollouts in which everything goes wrong, until one of them shows a violation.
 *
 * @param watch Called with each rollout, before it is judged. @default - nobody wants to know
 */
export async function simulate(
  { count, seed, path = '', isCompared = false }: Draw,
  watch: (run: Observed) => void = () => undefined,
): Promise<Simulated> {
  let tally = NOTHING;
  const courses: Record<string, Course> = {};
  let isViolated = false;
  const property = fc.asyncProperty(ordeal, async (drawn) => {
    const met = new Set<string>();
    try {
      const run = await tryOrdeal(drawn, (fault) => met.add(fault), watch);
      // What is tried after a violation only looks for a smaller one.
      if (isViolated) return;
      tally = sumOf(tally, tallyOf(drawn, run, met));
      if (isCompared) courses[`${seed}/${tally.rollouts - 1}`] = courseOf(run);
    } catch (error) {
      isViolated = true;
      throw error;
    }
  });
  const result = await fc.check(property, { numRuns: count, seed, path });
  const simulated = { tally, ...(isCompared && { courses }) };
  if (!result.failed) return { violation: null, ...simulated };
  const { counterexamplePath, counterexample, errorInstance } = result;
  const violation = {
    seed,
    path: counterexamplePath ?? '',
    message: `${errorInstance}`,
    smallest: JSON.stringify(counterexample?.[0]),
  };
  return { violation, ...simulated };
}
