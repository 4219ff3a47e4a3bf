import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lookForGates } from '../../lib/domain/decision/after-gates.ts';
import { waitFor } from '../../lib/domain/decision/decision.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { askWaves } from '../../lib/steps/io/ask-waves.ts';
import { observation } from '../domain/arbitraries.ts';
import { live, planOf, progressOf, recordOf } from '../domain/examples.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const plan = planOf([1, 3]);
const endpoints = plan.ids.map((id) => live(id));

test('after a look there is a wait, whatever the gates say and whenever they are due', async () => {
  const looks = fc.record({
    wave: fc.constantFrom(0, 1),
    observations: fc.tuple(observation, observation, observation, observation),
    bakedMs: fc.constantFrom(null, 0, 100_000),
    watch: fc.option(
      fc.record({
        dueAt: fc.integer({ min: 0, max: 2_000 }),
        cursor: fc.integer({ min: 0, max: 4 }),
        noes: fc.constant([]),
      }),
      { nil: undefined },
    ),
    isWhole: fc.boolean(),
    verdict: fc.constantFrom<GateAnswer['verdict'][]>('pass', 'fail', 'unknown'),
    warmUpSeconds: fc.constantFrom(0, 60),
    seconds: fc.integer({ min: 1, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(looks, async (given) => {
      const { wave, observations, bakedMs, watch, isWhole, verdict, warmUpSeconds } = given;
      const said = { bakedMs, ...(watch && { watch }), clock: { at: 1_000, watched: 1_000 } };
      const progress = progressOf(wave, observations, said);
      const verify = { alarms: ['errors'], warmUpSeconds, approval: null };
      const look = { record: recordOf([], { verify }), plan, progress, endpoints };
      const gates = gatePortsOf({ alarm: async () => ({ verdict, detail: '' }) });
      const { progress: after } = await askWaves(look, isWhole, gates);
      const decision = lookForGates(waitFor('roll', after, { seconds: given.seconds }), after, {
        pollSeconds: 5,
      });

      expect(decision).toHaveProperty('seconds', expect.any(Number));
      const { seconds } = decision as { seconds: number };
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(given.seconds);
    }),
  );
});
