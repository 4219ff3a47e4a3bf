import { expect } from '@jest/globals';
import fc from 'fast-check';
import { runScenario } from '../support/run-scenario.ts';
import { testWithoutStops } from '../support/test-on-services.ts';

import { ordeal } from './simulation/draw-ordeal.ts';
import { withoutStops } from './simulation/draw-request.ts';
import { toScript } from './simulation/to-script.ts';

const ROLLOUTS = 300;

testWithoutStops('the invariants hold in random rollouts, and nothing is stopped', async () => {
  await fc.assert(
    fc.asyncProperty(ordeal.map(withoutStops), async (drawn) => {
      const { calls } = await runScenario(toScript(drawn));
      expect(calls.filter(({ operation }) => operation === 'stop')).toEqual([]);
    }),
    { numRuns: ROLLOUTS, seed: 1 },
  );
});
