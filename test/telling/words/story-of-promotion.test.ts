import { expect, test } from '@jest/globals';
import { listHappenings } from '../../../lib/telling/story/happenings.ts';
import { describeHappening } from '../../../lib/telling/words/happening.ts';
import { recordOfEnd } from '../../support/record-at.ts';
import type { Stage } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

const HALF_A_DAY = 43_200;

/** What the story says of the convergence of each of three waves, of which somebody promotes the first one. */
async function convergences(isFull: boolean, warmUpSeconds = 0): Promise<string[]> {
  const promote = async (stage: Stage) => {
    await stage.until(600);
    const said = { at: scenarioNow(), wave: 0, by: 'ada', reason: 'hotfix' };
    const full = isFull && { isFull: true as const };
    await stage.ledger.signal('rollout-1', { kind: 'promote', ...said, ...full });
  };
  const gates = { probe: null, alarms: ['errors'], metrics: [], approval: null };
  const record = await recordOfEnd({
    endpoints: 3,
    policy: {
      waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
      bakeSeconds: HALF_A_DAY,
      verify: { ...gates, warmUpSeconds },
    },
    beside: promote,
  });
  return listHappenings(record)
    .map((happening) => describeHappening(happening))
    .filter((line) => line.includes('has converged'));
}

test.each([
  ['does not bake', 0, 'not baking, because it was promoted'],
  ['bakes for the warm-up', 60, 'baking for 1 min'],
])('a wave that was promoted before it has converged %s', async (_, warmUp, words) => {
  const [first, ...others] = await convergences(true, warmUp);
  expect(first).toContain('baking for 12 h');
  expect(others).toHaveLength(2);
  for (const line of others) expect(line).toContain(words);
});

test('a wave that follows a promoted one bakes as planned', async () => {
  for (const line of await convergences(false)) expect(line).toContain('baking for 12 h');
});
