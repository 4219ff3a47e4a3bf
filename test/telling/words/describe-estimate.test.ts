import { expect, test } from '@jest/globals';
import { describeEstimate } from '../../../lib/telling/words/plan.ts';

const ESTIMATE = {
  ...{ seconds: 1_020, bakeSeconds: 900, rounds: 5, roundSeconds: 12, learnedFrom: 3 },
  ...{ rolls: 12, listReads: 37, transitions: 105, waves: [], waits: [], lambdaCalls: 37 },
};

const DEADLINE = { progressDeadlineSeconds: 600 };

test('what a rollout will take, and how that is known', () => {
  expect(describeEstimate(ESTIMATE, 'endpoint', DEADLINE)).toEqual([
    '  About 17 min: 15 min of bakes, and 2 min for 5 rolls one after another',
    '    A roll is taken for 12 s, as in the last 3 rollouts that have succeeded (median)',
    '  About 12 writes and 37 reads of the list; on AWS 105 transitions and 37 Lambda calls',
  ]);
});

test('a wait for a window is no part of the rolls', () => {
  const waits = [{ startsAt: 400, endsAt: 7_600 }];
  const waiting = { ...ESTIMATE, seconds: ESTIMATE.seconds + 7_200, waits };
  expect(describeEstimate(waiting, 'endpoint', DEADLINE)[0]).toBe(
    '  About 2 h 17 min: 15 min of bakes, 2 h of waits for windows, and 2 min for 5 rolls one after another',
  );
});

test('one endpoint is one write', () => {
  expect(describeEstimate({ ...ESTIMATE, rolls: 1 }, 'endpoint', DEADLINE)[2]).toContain(
    'About 1 write and',
  );
});

test('a group starts rollouts, which do the writes', () => {
  expect(describeEstimate(ESTIMATE, 'runtime', DEADLINE)[2]).toBe(
    '  About 12 rollouts of runtimes and 37 looks at them; on AWS 105 transitions and 37 Lambda calls besides theirs',
  );
});

test.each([
  [1, 'A roll is taken for 12 s, as in the last rollout that has succeeded'],
  [2, 'A roll is taken for 12 s, as in the last 2 rollouts that have succeeded (median)'],
])('learned from %i', (learnedFrom, text) => {
  const lines = describeEstimate({ ...ESTIMATE, rounds: 1, learnedFrom }, 'endpoint', DEADLINE);
  expect(lines[0]).toContain(', and 2 min for one roll');
  expect(lines[1]?.trim()).toBe(text);
});

test('without a past nothing is assumed of a roll, and the numbers are the least', () => {
  const unknown = {
    seconds: null,
    waves: null,
    waits: null,
    roundSeconds: null,
    learnedFrom: 0,
  } as const;
  expect(describeEstimate({ ...ESTIMATE, ...unknown }, 'endpoint', DEADLINE)).toEqual([
    '  15 min of bakes, and the time of 5 rolls one after another, at most 10 min without progress in each wave',
    '    Nobody knows how long a roll takes: there is no past rollout to learn from, so the end is foreseen from its first roll on',
    '  At least 12 writes and 37 reads of the list; on AWS 105 transitions and 37 Lambda calls',
  ]);
});

test('a roll that takes longer than the progress deadline may fail the rollout', () => {
  const line = '    That is longer than the progress deadline: the rollout may fail';
  const within = (progressDeadlineSeconds: number) =>
    describeEstimate(ESTIMATE, 'endpoint', { progressDeadlineSeconds });
  expect(within(11)[2]).toBe(line);
  expect(within(12)).not.toContain(line);
});
