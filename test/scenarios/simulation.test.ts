import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runScenario } from '../support/run-scenario.ts';
import { ordeal } from './simulation/draw-ordeal.ts';
import { judgeEnding } from './simulation/judge-ending.ts';
import type { Ordeal } from './simulation/ordeal.ts';
import { toScript } from './simulation/to-script.ts';

/** `STEPROLL_SEEDS=10000` simulates more rollouts, `STEPROLL_SEED=2` others. */
const { STEPROLL_SEEDS = '300', STEPROLL_SEED = '1', STEPROLL_PATH = '' } = process.env;
const ROLLOUTS = Number(STEPROLL_SEEDS);
const SECONDS_EACH = 1;

test(
  'invariants 1 to 14: whatever goes wrong, every step is safe and every end is the truth',
  async () => {
    const result = await fc.check(fc.asyncProperty(ordeal, simulate), {
      numRuns: ROLLOUTS,
      seed: Number(STEPROLL_SEED),
      path: STEPROLL_PATH,
      interruptAfterTimeLimit: ROLLOUTS * SECONDS_EACH * 1000,
    });
    expect(replayOf(result)).toBe('');
  },
  (ROLLOUTS + 60) * SECONDS_EACH * 1000,
);

async function simulate(drawn: Ordeal): Promise<void> {
  const run = await runScenario(toScript(drawn));
  const violations = judgeEnding(drawn, run);
  if (violations.length > 0) throw new Error(violations.join('\n  '));
}

/** Empty when nothing failed; otherwise how to see it again, and the smallest rollout that fails. */
function replayOf({ failed, seed, counterexamplePath, counterexample, errorInstance }: Check) {
  if (!failed) return '';
  return [
    `STEPROLL_SEED=${seed} STEPROLL_PATH=${counterexamplePath} npm test -- test/scenarios/simulation.test.ts`,
    `${errorInstance}`,
    JSON.stringify(counterexample?.[0]),
  ].join('\n');
}

type Check = Pick<
  fc.RunDetails<[Ordeal]>,
  'failed' | 'seed' | 'counterexamplePath' | 'counterexample'
> & { readonly errorInstance: unknown };
