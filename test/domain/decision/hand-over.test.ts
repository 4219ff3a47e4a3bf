import { describe, expect, test } from '@jest/globals';
import {
  decideHandOver,
  EVENTS_OF_OPENING,
  EXECUTION_LIMITS,
  eventsUntilNext,
} from '../../../lib/domain/decision/hand-over.ts';
import { decideUnlisted } from '../../../lib/domain/decision/unreadable.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { MAX_BATCHES } from '../../../lib/domain/planning/batches.ts';
import { LONGEST_QUEUE_SECONDS, queueSeconds } from '../../../lib/domain/turn/queue.ts';
import { ROLLOUT_DEFINITION } from '../../../lib/workflow/definition.ts';
import { WRITING_STEP_RETRY } from '../../../lib/workflow/retry-policies.ts';
import { policyOf } from '../examples.ts';

const LIMITS = { events: 100, seconds: 1_000 };
const WEEK = 7 * 24 * 3600;

const decide = (events: number, age = 0, waitSeconds = 5, next = 'look-roll', limits = LIMITS) =>
  decideHandOver({ number: 1, startedAt: 0, events }, next, waitSeconds, age * 1000, limits);

describe('an execution hands over', () => {
  test('when its events are used up', () => {
    expect(decide(100)).toBeNull();
    expect(decide(101)).toBe('look-roll');
  });

  test('when its time would be used up at the end of its next wait', () => {
    expect(decide(0, 600, 400)).toBeNull();
    expect(decide(0, 600, 401)).toBe('look-roll');
  });

  test.each(['open-turn', 'look-roll', 'look-bake', 'roll'])('before a %s', (next) => {
    expect(decide(101, 0, 5, next)).toBe(next);
  });

  test.each(['contain', 'close'])('never before a %s', (next) => {
    expect(decide(101, 2_000, 5, next)).toBeNull();
  });
});

describe('Step Functions', () => {
  const HISTORY = 25_000;
  /** As many as a rollout of 10,000 endpoints has, each with an event for its Map's part in it. */
  const CLEANUP = eventsUntilNext(400) + 20;
  const AWAY = WRITING_STEP_RETRY.find(({ ErrorEquals }) =>
    ErrorEquals.includes('Lambda.TooManyRequestsException'),
  );
  const EVENTS_OF_RETRY = 3;
  test.each([
    ['a step in two tried again six times', (6 * (EXECUTION_LIMITS.events / 9)) / 2],
    ['120 steps tried again as long as may be', 120 * (AWAY?.MaxAttempts ?? Number.NaN)],
  ])('invariant 16: never gets to its 25,000 events, %s', (_, retries) => {
    const { events } = EXECUTION_LIMITS;
    const last = eventsUntilNext(MAX_BATCHES);
    const tries = EVENTS_OF_RETRY * retries;
    expect(EVENTS_OF_OPENING + events + last + CLEANUP + tries).toBeLessThan(HISTORY);
  });

  test('invariant 16: nor while a rollout waits to be opened, for a list and then for its turn', () => {
    const waited = (longest: number, waitAfter: (seconds: number) => number) => {
      let looks = 0;
      for (let seconds = 0; seconds < longest; seconds += waitAfter(seconds)) looks += 1;
      return looks * eventsUntilNext(0);
    };
    const policy = policyOf({ pollSeconds: 1, progressDeadlineSeconds: WEEK });
    const error = new SteprollError(ErrorName.UpstreamTimeout, 'No answer.');
    const list = waited(WEEK, (seconds) => {
      const decided = decideUnlisted(error, 'endpoints', seconds, policy);
      return decided.decision === 'wait' ? decided.seconds : WEEK;
    });
    expect(EVENTS_OF_OPENING + list + waited(LONGEST_QUEUE_SECONDS, queueSeconds)).toBeLessThan(
      22_000,
    );
  });

  test('A07: never ends an execution by its time, whatever it waits for', () => {
    const { seconds } = EXECUTION_LIMITS;
    // A fresh one after a week of waiting for its window still has the time for its first wait.
    expect(WEEK).toBeLessThan(seconds);
    expect(ROLLOUT_DEFINITION.TimeoutSeconds - seconds).toBeGreaterThanOrEqual(4 * 24 * 3600);
  });
});
