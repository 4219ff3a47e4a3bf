import { expect, test } from '@jest/globals';
import { describeEstimate } from '../../../lib/cli/view/describe-estimate.ts';

const EFFORT = { rolls: 12, listReads: 37, transitions: 105, lambdaCalls: 37 };
const TIME = { seconds: 960, bakeSeconds: 900, rounds: 5, roundSeconds: 12, learnedFrom: 3 };

test('what a rollout will take, and how that is known', () => {
  expect(describeEstimate(TIME, EFFORT)).toEqual([
    '  About 16 min: 15 min of bakes, and 5 rolls one after another, 12 s each',
    '    A roll took that long in the last 3 rollouts that have succeeded (median)',
    '  About 12 writes and 37 reads of the list; on AWS 105 transitions and 37 Lambda calls',
  ]);
});

test.each([
  [1, 'A roll took that long in the last rollout that has succeeded'],
  [0, 'That is assumed: there is no past rollout to learn from'],
])('learned from %i', (learnedFrom, text) => {
  const lines = describeEstimate({ ...TIME, rounds: 1, learnedFrom }, EFFORT);
  expect(lines[0]).toContain(', and one roll of 12 s');
  expect(lines[1]?.trim()).toBe(text);
});
