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
  test('waits for a minute and a half at most', () => {
    // Each retrier counts its own tries, so that a step may use up one after the other. What hung waits 2 s once more.
    expect(sum(retriers.flatMap(waitsOf)) - 90).toBe(retriers === READING_STEP_RETRY ? 2 : 0);
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
