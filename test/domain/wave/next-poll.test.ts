import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { firstPollSeconds, nextPoll } from '../../../lib/domain/wave/polls.ts';
import { observation } from '../arbitraries.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

const POLICY = { pollSeconds: 5, maxPollSeconds: 30, progressDeadlineSeconds: 600 };
const plan = planOf([3]);
const progressing = seen('progressing', 4);
const converged = seen('converged', 2);

/** The rollout's start; the moments of these examples are seconds after it. */
const START = Date.UTC(2026, 10, 21);
const moment = (seconds: number) => START + seconds * 1000;

const rolledAt = (seconds: number, id = 'web-1'): JournalEntry => ({
  ...line('roll', id, 'accepted'),
  at: moment(seconds),
  watched: moment(seconds),
});

interface Moment {
  /** Seconds since the rollout's start. */
  readonly at: number;
  /** Seconds since the wave got further. @default 0 */
  readonly stuck?: number;
  readonly journal?: readonly JournalEntry[];
  readonly policy?: Partial<RolloutPolicy>;
  readonly progress?: Partial<WaveProgress>;
  readonly isPaused?: true;
}

function next(observations: readonly Observation[], given: Moment) {
  const { at, stuck = 0, journal = [rolledAt(0)], policy = {} } = given;
  const record = {
    ...recordOf(journal, { ...POLICY, ...policy }),
    ...(given.isPaused && { isPaused: given.isPaused }),
  };
  const progress = { stuckMs: stuck * 1000, readAt: moment(at), ...given.progress };
  return nextPoll(record, plan, progressOf(0, observations, progress)).seconds;
}

describe('nextPoll', () => {
  test.each<[at: number, seconds: number]>([
    [0, 5],
    [50, 5],
    [51, 6],
    [200, 20],
    [300, 30],
    [3000, 30],
  ])('looks get rarer the longer a roll takes: after %i s, in %i s', (at, seconds) => {
    expect(next([progressing], { at })).toBe(seconds);
  });

  test('the roll that is the longest under way counts', () => {
    const journal = [rolledAt(0), rolledAt(150, 'web-2')];
    expect(next([progressing, progressing], { at: 200, journal })).toBe(20);
    expect(next([converged, progressing], { at: 200, journal })).toBe(5);
  });

  test('X04: a roll under way is watched only since another process took over', () => {
    const progress = { resumed: moment(3_000) };
    expect(next([progressing], { at: 3_001, progress })).toBe(5);
    expect(next([progressing], { at: 3_200, progress })).toBe(20);
  });

  test('under a pause the deadline stands still, and what is left of it brings no look forward', () => {
    const [at, stuck] = [599, 599];
    expect(next([progressing], { at, stuck })).toBe(1);
    expect(next([progressing], { at, stuck, isPaused: true })).toBe(30);
    expect(next([seen('failed', 1)], { at, stuck, isPaused: true })).toBe(5);
  });

  test('while nothing is in mid-roll, looks are frequent', () => {
    expect(next([converged, seen('pending')], { at: 200 })).toBe(5);
  });

  test.each<[string, Observation, number]>([
    ['converged', seen('converged', 1), 5],
    ['failed', seen('failed', 1), 5],
    ['moved back', seen('reverted', 1), 5],
    ['missing', seen('missing', 1), 5],
    ['on its way', seen('progressing', 1), 20],
    ['not showing it', seen('requested', 1), 20],
    ['failed for the second time', seen('failed', 2), 20],
  ])('what needs a second look gets it soon: %s', (_, second, seconds) => {
    expect(next([progressing, second], { at: 200 })).toBe(seconds);
  });

  test('H02: one that is missing gets its second look soon, and its third in its turn', () => {
    expect(next([seen('missing', 1)], { at: 200 })).toBe(5);
    expect(next([seen('missing', 2)], { at: 200 })).toBe(20);
  });

  test('once it is known how long a roll takes, the next look comes when it can be done', () => {
    const progress = { fastestRollMs: 28_000 };
    expect(next([progressing], { at: 0, progress })).toBe(28);
    expect(next([progressing], { at: 10, progress })).toBe(18);
    expect(next([progressing], { at: 25, progress })).toBe(5);
    expect(next([progressing], { at: 28, progress })).toBe(5);
    expect(next([progressing], { at: 200, progress })).toBe(20);
    expect(next([progressing], { at: 0, progress: { fastestRollMs: 3_600_000 } })).toBe(30);
  });

  test('what is rolled now, while nothing is in mid-roll, can be done as soon as the fastest was', () => {
    const progress = { fastestRollMs: 28_000 };
    expect(next([converged, seen('pending')], { at: 200, progress })).toBe(28);
  });

  test.each<[stuck: number, seconds: number]>([
    [0, 30],
    [569, 30],
    [588, 12],
    [596, 4],
    [700, 1],
  ])(
    'a deadline is not slept through: %i s without progress, another look in %i s',
    (stuck, seconds) => {
      const policy = { progressDeadlineSeconds: 600 };
      expect(next([progressing], { at: 1000, stuck, policy })).toBe(seconds);
    },
  );

  test('the clock that stepped back asks for no look in the past', () => {
    expect(next([progressing], { at: -100 })).toBe(5);
  });

  test('a poll interval beyond the longest is the longest', () => {
    expect(next([progressing], { at: 9000, policy: { pollSeconds: 60 } })).toBe(60);
  });

  test('H14: the service is not asked before it wants to be, and asked in between when that is long', () => {
    const refused = { ...line('roll', 'web-2', 'rejected', 'UpstreamThrottled'), watched: START };
    const later = (seconds: number) => [rolledAt(0), { ...refused, retryAt: seconds * 1000 }];
    expect(next([progressing], { at: 100, journal: later(112) })).toBe(12);
    expect(next([progressing], { at: 100, journal: later(100) })).toBe(10);
    expect(next([progressing], { at: 100, journal: later(9_999) })).toBe(300);
  });

  test('on the way back the rolls of the way forward do not count', () => {
    const turned = { ...line('roll-back', 'web-1', 'accepted'), watched: moment(100) };
    const record = recordOf([rolledAt(0), turned], POLICY);
    const progress = progressOf(0, [progressing], {
      direction: 'back',
      readAt: moment(200),
    });
    expect(nextPoll(record, planBackOf(1), progress)).toEqual({ for: 'roll', seconds: 10 });
  });
});

describe('firstPollSeconds', () => {
  test.each<[fastestRollMs: number | null, seconds: number]>([
    [null, 5],
    [1_000, 5],
    [20_500, 11],
    [400_000, 30],
  ])('a wave after a fastest roll of %s ms is first looked at after %i s', (fastest, seconds) => {
    expect(firstPollSeconds(POLICY, fastest, null)).toBe(seconds);
  });

  test.each<[usualRollMs: number, fastestRollMs: number | null, seconds: number]>([
    [1_000, null, 5],
    [40_200, null, 41],
    [40_000, 36_000, 40],
    [20_000, 80_000, 30],
    [400_000, null, 60],
  ])(
    'where a roll usually takes %i ms, and its fastest took %s, after %i s',
    (usual, fastest, seconds) => {
      expect(firstPollSeconds(POLICY, fastest, usual)).toBe(seconds);
    },
  );

  test('no look comes after the deadline', () => {
    const policy = { ...POLICY, maxPollSeconds: 3600, progressDeadlineSeconds: 90 };
    expect(firstPollSeconds(policy, 400_000, 400_000)).toBe(90);
  });

  test('a poll interval beyond the longest is the longest', () => {
    expect(firstPollSeconds({ ...POLICY, pollSeconds: 60 }, 200_000, null)).toBe(60);
  });
});

describe('whatever is observed', () => {
  const observations = fc.array(observation, { maxLength: 3 });
  const times = fc.integer({ min: -1_000, max: 1_000_000 });
  const policy = fc.record({
    pollSeconds: fc.integer({ min: 1, max: 600 }),
    maxPollSeconds: fc.integer({ min: 1, max: 3600 }),
  });
  const journals = fc.array(
    fc.record({
      at: fc.constant(START),
      watched: times.map(moment),
      operation: fc.constant<'roll'>('roll'),
      endpointId: fc.constantFrom(...plan.ids),
      result: fc.constantFrom('intended', 'accepted', 'unknown'),
      retryAt: times.map(moment),
    }),
    { maxLength: 4 },
  );
  const learned = fc.option(fc.nat(1_000_000));
  const stuckFor = fc.nat(700_000);

  test('a whole number of seconds, never hot, and never longer than policy, deadline and service ask for', () => {
    fc.assert(
      fc.property(
        observations,
        times,
        policy,
        journals,
        fc.tuple(learned, stuckFor),
        (read, at, how, journal, [fastestRollMs, stuck]) => {
          const progress = { fastestRollMs, heard: 'work', stuckMs: stuck } as const;
          const seconds = next(read, { at, journal, policy: how, progress });
          const retry =
            Math.max(0, ...journal.map((one) => one.watched + one.retryAt - START - moment(at))) /
            1000;
          const left = Math.max(1, POLICY.progressDeadlineSeconds - stuck / 1000);
          const longest = Math.min(left, Math.max(how.pollSeconds, how.maxPollSeconds));
          expect(Number.isInteger(seconds)).toBe(true);
          expect(seconds).toBeGreaterThanOrEqual(Math.min(how.pollSeconds, Math.floor(left)));
          expect(seconds).toBeLessThanOrEqual(Math.ceil(Math.max(longest, Math.min(300, retry))));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
