import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { READING_STEP_RETRY, WRITING_STEP_RETRY } from '../../lib/workflow/retry-policies.ts';

const SOURCE = readFileSync(
  new URL('../../lib/workflow/retry-policies.ts', import.meta.url),
  'utf8',
);

describe.each<[string, readonly Retrier[]]>([
  ['READING_STEP_RETRY', READING_STEP_RETRY],
  ['WRITING_STEP_RETRY', WRITING_STEP_RETRY],
])('%s', (name, retriers) => {
  test('waits as long at most as its comment says', () => {
    const comment = SOURCE.split(`export const ${name}`)[0]?.split('/**').at(-1) ?? '';
    const [, total] = /at most (?:[\d +]+= )?(\d+) s/i.exec(comment) ?? [];

    // Each retrier counts its own tries, so that a step may use up one after the other.
    expect(Number(total)).toBe(sum(retriers.flatMap(waitsOf)));
  });

  test('names each error once: the first retrier that fits is the one that counts', () => {
    const errors = retriers.flatMap(({ ErrorEquals }) => [...ErrorEquals]);

    expect(new Set(errors).size).toBe(errors.length);
  });

  test('spreads its waits', () => {
    for (const { MaxAttempts, JitterStrategy } of retriers) {
      expect([MaxAttempts, JitterStrategy]).toEqual(
        MaxAttempts === 0 ? [0, undefined] : [6, 'FULL'],
      );
    }
  });
});

test('the sum in the comment is made of the waits', () => {
  const [, terms = ''] = /at most ([\d +]+) = \d+ s/.exec(SOURCE) ?? [];

  const retriers: readonly Retrier[] = READING_STEP_RETRY;
  expect(terms.split(' + ').map(Number)).toEqual(retriers.flatMap(waitsOf));
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
