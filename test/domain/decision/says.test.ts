import { expect, test } from '@jest/globals';
import type { Decision } from '../../../lib/domain/decision/decision.ts';
import { sayDecision } from '../../../lib/domain/decision/says.ts';
import type { PlannedWait } from '../../../lib/domain/rollout/wait.ts';
import { planBackOf, planOf, progressOf, seen } from '../examples.ts';

const wait = (kind: PlannedWait['for'], step: PlannedWait['step'] = 'look'): Decision => ({
  ...{ next: 'wait', for: kind, of: null, until: null, seconds: 5, step },
});
const ENDING = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
const converged = seen('converged', 2);
const at = {
  plan: planOf([1, 3, 7]),
  progress: progressOf(1, [converged, converged, converged, seen('requested')]),
};

test.each<[Decision, string]>([
  [wait('bake'), 'Wave 2 of 3: 3 of 11 live, baking'],
  [
    { next: 'roll', wave: 2, indexes: [4, 5], wait: { ...wait('roll') } as never },
    'Wave 3 of 3: 3 of 11 live, rolls 2',
  ],
  [
    { next: 'contain', onFailure: 'stop-old', ending: ENDING, oldEndpoints: [] },
    'Wave 2 of 3: 3 of 11 live, failing (Stalled), then stop-old',
  ],
  [{ next: 'close', ending: ENDING }, 'Wave 2 of 3: 3 of 11 live, ends as Failed (Stalled)'],
])('says where a rollout stands: %j', (decision, says) => {
  expect(sayDecision(decision, at)).toBe(says);
});

test('says that it goes back', () => {
  const back = { plan: planBackOf(2), progress: progressOf(0, [converged, converged]) };
  expect(sayDecision(wait('roll'), back)).toBe('Rollback, wave 1 of 1: 2 of 2 live, rolling');
});

test('says for what it waits before there is a plan', () => {
  expect(sayDecision(wait('turn', 'open'), null)).toBe('Waits for its turn');
});
