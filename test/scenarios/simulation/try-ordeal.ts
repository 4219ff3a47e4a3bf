import { ErrorName, errorNameOf } from '../../../lib/domain/errors.ts';
import type { Engine } from '../../../lib/embedded/engine.ts';
import { runScenario } from '../../support/run-scenario.ts';
import { wrapSteps } from '../../support/wrap-steps.ts';
import { judgeEnding } from './judge-ending.ts';
import type { Ordeal } from './ordeal.ts';
import { type Beside, type Meet, type Observed, onItsService, toScript } from './to-script.ts';

/**
 * Simulates one rollout and judges it.
 *
 * @throws when an invariant does not hold, when a judge finds a violation, or when the rollout crashes.
 */
export async function tryOrdeal(drawn: Ordeal, meet?: Meet): Promise<Observed> {
  const stumbles: string[] = [];
  const looks: number[] = [];
  const engine = (own: Engine) => noteStumbles(drawn, stumbles)(countLooks(own, looks));
  let beside: Beside = { earlier: null, undone: null, releases: [] };
  const script = toScript(drawn, meet, (seen) => {
    beside = { ...beside, ...seen };
  });
  const result = await onItsService(drawn, () => runScenario({ ...script, engine }));
  const run = { ...result, ...beside };
  const violations = [
    ...stumbles.slice(0, 1),
    ...judgeEnding(drawn, run),
    ...executionsAreShort(drawn, looks),
  ];
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

/** An execution ends long before the limit of its history: it hands over to the next one. */
function executionsAreShort({ executionEvents }: Ordeal, looks: readonly number[]): string[] {
  const most = Math.max(0, ...looks);
  return most > executionEvents / EVENTS_OF_LOOK + 2
    ? [`an execution had ${most} looks, and ${executionEvents} events were allowed`]
    : [];
}

/** A wait, a step and a choice. */
const EVENTS_OF_LOOK = 9;

const LOOKS: ReadonlySet<string> = new Set(['Check wave', 'Verify wave']);

/** Counts the looks of each execution. */
function countLooks(engine: Engine, counts: number[]): Engine {
  return ({ onState, ...execution }) => {
    const nth = counts.push(0) - 1;
    return engine({
      ...execution,
      onState(state) {
        if (LOOKS.has(state)) counts[nth] = (counts[nth] ?? 0) + 1;
        onState?.(state);
      },
    });
  };
}
