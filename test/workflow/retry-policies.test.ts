import { describe, expect, test } from '@jest/globals';
import {
  READING_STEP_RETRY,
  STARTING_STEP_RETRY,
  WRITING_STEP_RETRY,
} from '../../lib/workflow/retry-policies.ts';

describe.each<[string, readonly Retrier[]]>([
  ['READING_STEP_RETRY', READING_STEP_RETRY],
  ['WRITING_STEP_RETRY', WRITING_STEP_RETRY],
  ['STARTING_STEP_RETRY', STARTING_STEP_RETRY],
])('%s', (_, retriers) => {
  test('waits for a minute and a half at most after a crash, and 45 s on average', () => {
    const crash = retriers.filter(({ MaxAttempts }) => MaxAttempts === 6);
    expect(crash.map((one) => sum(waitsOf(one)))).toEqual([90]);
  });

  test('names each error once: the first retrier that fits is the one that counts', () => {
    const errors = retriers.flatMap(({ ErrorEquals }) => [...ErrorEquals]);

    expect(new Set(errors).size).toBe(errors.length);
  });

  test('spreads its waits', () => {
    for (const { MaxAttempts, JitterStrategy } of retriers) {
      expect(JitterStrategy).toBe(MaxAttempts === 0 ? undefined : 'FULL');
    }
  });
});

describe.each([
  ['READING_STEP_RETRY', READING_STEP_RETRY],
  ['WRITING_STEP_RETRY', WRITING_STEP_RETRY],
])('%s', (_, retriers: readonly Retrier[]) => {
  test.each(['Lambda.TooManyRequestsException', 'LedgerUnavailable'])(
    '%s is tried again for 10 minutes at least in 99 of 100 cases, for 13.5 on average, and for 27 at most',
    (error) => {
      const retrier = retriers.find(({ ErrorEquals }) => ErrorEquals.includes(error));
      if (retrier === undefined) throw new Error(`Nothing is said of ${error}`);
      const waits = waitsOf(retrier);
      expect(retrier.JitterStrategy).toBe('FULL');
      expect(sum(waits)).toBe(1622);
      expect(Math.max(...waits)).toBe(60);
      const chances = chancesOf(waits);
      const average = sum(chances.map((chance, seconds) => chance * seconds));
      expect(Math.abs(average / 60 - 13.5)).toBeLessThan(0.05);
      expect(sum(chances.slice(600))).toBeGreaterThan(0.99);
    },
  );
});

/** How likely it is that all waits take so many seconds together, if each is a whole number up to its longest. */
function chancesOf(waits: readonly number[]): number[] {
  let chances = [1];
  for (const longest of waits) {
    const next = new Array<number>(chances.length + longest).fill(0);
    for (const [seconds, chance] of chances.entries()) {
      for (let wait = 0; wait <= longest; wait += 1) {
        next[seconds + wait] = (next[seconds + wait] ?? 0) + chance / (longest + 1);
      }
    }
    chances = next;
  }
  return chances;
}

interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly MaxAttempts: number;
  readonly IntervalSeconds?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: string;
}

/** Seconds before each try, without the spread. */
function waitsOf({
  IntervalSeconds = 1,
  BackoffRate = 2,
  MaxAttempts,
  MaxDelaySeconds = Number.POSITIVE_INFINITY,
}: Retrier): number[] {
  return Array.from({ length: MaxAttempts }, (_, attempt) =>
    Math.min(IntervalSeconds * BackoffRate ** attempt, MaxDelaySeconds),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
