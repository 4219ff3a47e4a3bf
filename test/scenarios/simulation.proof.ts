import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { realGrounds } from '../support/real-grounds.ts';
import { runScenario, type ScenarioResult, type Script } from '../support/run-scenario.ts';
import { ordeal } from './simulation/draw-ordeal.ts';
import { isRelease } from './simulation/ordeal.ts';
import { simulate } from './simulation/simulate.ts';
import { onItsService, toScript } from './simulation/to-script.ts';

const ROLLOUTS = 1_000;

test('invariants 1 to 14: whatever goes wrong, every step is safe and every end is the truth', async () => {
  const { violation, tally } = await simulate({ count: ROLLOUTS, seed: 5 });
  expect(violation).toBeNull();
  expect(tally.rollouts).toBe(ROLLOUTS);
  // What is drawn and never met would prove nothing, and nothing is met that was not drawn.
  expect(Object.keys(tally.drawn).filter((fault) => !tally.met[fault])).toEqual([]);
  expect(Object.entries(tally.met).filter(([name, met]) => met > (tally.drawn[name] ?? 0))).toEqual(
    [],
  );
});

/** Of two batches that call or write down something at the very same moment, nobody can say which one is first. */
function inOrder(run: ScenarioResult) {
  const { calls, rolled, rolledBack, stopped, record } = run;
  const sorted = <T extends { readonly at: number }>(list: readonly T[] = []) =>
    list.toSorted((a, b) => a.at - b.at || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    ...run,
    calls: sorted(calls),
    rolled: rolled.toSorted(),
    rolledBack: rolledBack.toSorted(),
    stopped: stopped.toSorted(),
    record: record && { ...record, journal: sorted(record.journal) },
  };
}

/** A tenth of a second for each of them, so these are few. */
const ON_BOTH = 25;

test('a simulated rollout goes as it does with the engine, the ledger and the timers of real ones', async () => {
  await fc.assert(
    fc.asyncProperty(ordeal, async ({ held, ...others }) => {
      // Which of several that look in the same moment comes first, nobody can say.
      fc.pre(others.people.filter(isRelease).length < 2);
      // The engine of real ones does not listen.
      const drawn = { ...others, ...(held && { held: { ...held, listens: false } }) };
      const run = (script: Script) => onItsService(drawn, () => runScenario(script));
      const simulated = await run(toScript(drawn));
      const real = await run({ ...toScript(drawn), grounds: realGrounds });

      expect(inOrder(simulated)).toEqual(inOrder(real));
    }),
    { numRuns: ON_BOTH, seed: 2 },
  );
});
