import { ErrorName, errorNameOf } from '../../../lib/domain/errors.ts';
import { runScenario, type ScenarioResult } from '../../support/run-scenario.ts';
import { wrapSteps } from '../../support/wrap-steps.ts';
import { judgeEnding } from './judge-ending.ts';
import type { Ordeal } from './ordeal.ts';
import { type Meet, toScript } from './to-script.ts';

/**
 * Simulates one rollout and judges it.
 *
 * @throws when an invariant does not hold, when a judge finds a violation, or when the rollout crashes.
 */
export async function tryOrdeal(drawn: Ordeal, meet?: Meet): Promise<ScenarioResult> {
  const stumbles: string[] = [];
  const run = await runScenario({
    ...toScript(drawn, meet),
    engine: noteStumbles(drawn, stumbles),
  });
  const violations = [...stumbles.slice(0, 1), ...judgeEnding(drawn, run)];
  if (violations.length > 0) throw new Error(violations.join('\n  '));
  return run;
}

/** A step fails with an error that has a name, or with the one that it died of. Any other error is a mistake in it. */
function noteStumbles({ death }: Ordeal, stumbles: string[]): ReturnType<typeof wrapSteps> {
  return wrapSteps(async (run, state) => {
    try {
      return await run();
    } catch (error) {
      const name = errorNameOf(error);
      if (!NAMES.has(name) && name !== death?.error) stumbles.push(`${state} stumbled: ${error}`);
      throw error;
    }
  });
}

const NAMES: ReadonlySet<string> = new Set(Object.values(ErrorName));
