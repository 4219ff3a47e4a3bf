import { expect } from '@jest/globals';
import { runScenario } from '../support/run-scenario.ts';
import { testWithStops } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

const KIB = 1024;

/** What a state reads and what it answers is what its step reads and answers. */
let largest = 0;
const engine = wrapSteps(async (run, _state, payload) => {
  const answer = await run();
  largest = Math.max(largest, sizeOf(payload), sizeOf(answer));
  return answer;
});

testWithStops(
  '10,000 endpoints of mixed versions fail in the last wave and go back, each to its own version',
  async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `endpoint-${index + 1}`);
    const endpoints = names.map((name, index) => ({ name, version: 1 + (index % 3) }));
    const run = await runScenario({
      endpoints,
      engine,
      input: { version: 9 },
      policy: { onFailure: 'roll-back', bakeSeconds: 60 },
      broken: [{ endpoint: 'endpoint-9999', version: 9, kind: 'fail' }],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    const live = endpoints.map(({ name }) => run.endpoints.get(name)?.liveVersion);
    expect(live).toEqual(endpoints.map(({ version }) => version));
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThanOrEqual(128 * KIB);
    expect(eventsOf(run.states)).toBeLessThanOrEqual(20_000);
  },
);

/** As AWS counts them: at most 7 for a Task in a Map with its iteration, 5 for a Task, 2 for the rest. */
function eventsOf(states: readonly string[]): number {
  return states.reduce((sum, state) => sum + (/^(Roll|Stop) batch$/.test(state) ? 7 : 5), 0);
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
