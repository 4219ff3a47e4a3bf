import { runScenario } from '../../support/run-scenario.ts';
import { judgeEnding } from './judges/ending.ts';
import { twinOf } from './judges/twin.ts';
import type { Ordeal } from './ordeal.ts';
import { type Beside, type Meet, type Observed, onItsService, toScript } from './to-script.ts';
import { type WatchedExecution, watchEngine } from './watch-engine.ts';

/**
 * Simulates one rollout and judges it.
 *
 * @throws when an invariant does not hold, when a judge finds a violation, or when the rollout crashes.
 */
export async function tryOrdeal(
  drawn: Ordeal,
  meet?: Meet,
  watch: (run: Observed) => void = () => undefined,
): Promise<Observed> {
  const executions: WatchedExecution[] = [];
  let beside: Beside = {
    earlier: null,
    undone: null,
    releases: [],
    haltedAt: null,
    toldAt: new Map(),
    holds: [],
    checks: [],
    sentAfterMs: 0,
    sentUnwanted: 0,
  };
  const script = toScript(drawn, meet, (seen) => {
    beside = { ...beside, ...seen };
  });
  const result = await onItsService(drawn, () =>
    runScenario({ ...script, engine: (engine) => watchEngine(engine, executions) }),
  );
  const other = twinOf(drawn);
  const twin = other && (await onItsService(other, () => runScenario(toScript(other))));
  const run = { ...result, ...beside, executions, twin };
  watch(run);
  const violations = judgeEnding(drawn, run);
  if (violations.length > 0) throw new Error(violations.join('\n  '));
  return run;
}
