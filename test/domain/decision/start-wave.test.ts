import { expect, test } from '@jest/globals';
import { startWave } from '../../../lib/domain/decision/next-rolls.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import { line, planBackOf, planOf, recordOf, seen } from '../examples.ts';

const converged = seen('converged', 2);
const accepted = [line('roll', 'web-1', 'accepted')];
const POLL = 7;

const start = (
  plan: RolloutPlan,
  wave: number,
  earlier: readonly Observation[],
  journal: readonly JournalEntry[],
) =>
  startWave(recordOf(journal, { pollSeconds: POLL }), plan, wave, {
    observations: earlier,
    fastestRollMs: null,
    clock: { at: 0, watched: 0 },
  });
const rolled = (wave: number, indexes: readonly number[]) => ({
  next: 'roll',
  wave,
  indexes,
  wait: { for: 'roll', of: null, until: 600_000, seconds: POLL, step: 'look' },
});

test('begins with as many of the wave as may be unavailable, by their place in the plan', () => {
  const plan = planOf([1, 4], { maxUnavailable: 3 });
  expect(start(plan, 1, [converged], accepted)).toEqual(rolled(1, [1, 2, 3]));
});

test.each([
  ['nothing was rolled', []],
  ['no roll was accepted', [line('roll', 'web-1', 'unknown')]],
  ['only a stop was accepted', [line('stop', 'web-1', 'accepted')]],
])('H20: begins with one while %s', (_, journal) => {
  expect(start(planOf([4]), 0, [], journal)).toEqual(rolled(0, [0]));
});

test('invariant 4: never reaches into the next wave', () => {
  const three = planOf([2, 2, 5]);
  expect(start(three, 0, [], accepted)).toEqual(rolled(0, [0, 1]));
  expect(start(three, 1, [converged, converged], accepted)).toEqual(rolled(1, [2, 3]));
});

test('invariant 3: what is unsettled in the waves before takes room', () => {
  const plan = planOf([2, 4], { maxUnavailable: 3 });
  const earlier = [converged, seen('progressing')];
  expect(start(plan, 1, earlier, accepted)).toEqual(rolled(1, [2, 3]));
});

test('the first wave needs nothing before it', () => {
  expect(start(planOf([2, 1]), 0, [], accepted)).toEqual(rolled(0, [0, 1]));
});

test('the first look comes in the middle of the fastest roll of the waves before', () => {
  const wait = (fastestRollMs: number) =>
    startWave(recordOf(accepted, { pollSeconds: POLL, maxPollSeconds: 30 }), planOf([1, 2]), 1, {
      observations: [converged],
      fastestRollMs,
      clock: { at: 0, watched: 0 },
    });
  expect(wait(20_500)).toMatchObject({ wait: { seconds: 11 } });
});

test.each<[string, Partial<Parameters<typeof startWave>[3]>, number]>([
  ['all is well', {}, 40],
  ['an endpoint was lost', { observations: [seen('failed', 2)] }, POLL],
  ['an endpoint is seen once', { observations: [seen('converged', 1)] }, POLL],
  ['gates watch', { watch: { since: 0, cursor: 0, dueAt: 9, noes: [] } }, POLL],
])('the first look comes after the usual time of a roll: %s', (_, said, seconds) => {
  const earlier = { observations: [converged], fastestRollMs: null, clock: { at: 0, watched: 0 } };
  const record = recordOf(accepted, { pollSeconds: POLL });
  const known = { ...earlier, usualRollMs: 40_000, ...said };
  expect(startWave(record, planOf([1, 2]), 1, known).wait.seconds).toBe(seconds);
});

test('what waits until others are on their way does not wait for the usual time of a roll', () => {
  const earlier = { observations: [], fastestRollMs: null, clock: { at: 0, watched: 0 } };
  const known = { ...earlier, usualRollMs: 40_000 };
  const record = recordOf([], { pollSeconds: POLL });
  expect(startWave(record, planOf([4]), 0, known).wait.seconds).toBe(POLL);
});

test('the way back begins with as many as may be unavailable, accepted roll or not', () => {
  const plan = planBackOf(3, { maxUnavailable: 2 });
  expect(start(plan, 0, [], [])).toEqual(rolled(0, [0, 1]));
});
