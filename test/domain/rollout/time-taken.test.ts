import { describe, expect, test } from '@jest/globals';
import { elapsedOf } from '../../../lib/domain/rollout/record.ts';
import { progressOf } from '../examples.ts';

const HOUR_MS = 3_600_000;
const startedAt = 5 * HOUR_MS;

describe('how long a rollout took', () => {
  test('is what the clock says, also for what nobody watched', () => {
    const clock = { at: startedAt + 2 * HOUR_MS, watched: 600_000 };
    const endedAt = startedAt + 2 * HOUR_MS + 5_000;
    expect(elapsedOf({ startedAt, endedAt, progress: progressOf(0, [], { clock }) }, 0)).toBe(
      endedAt - startedAt,
    );
  });

  test('L07: is what was watched, and what came after the last look, where the clock was set back', () => {
    const clock = { at: startedAt - HOUR_MS, watched: 600_000 };
    const endedAt = clock.at + 5_000;
    expect(elapsedOf({ startedAt, endedAt, progress: progressOf(0, [], { clock }) }, 0)).toBe(
      605_000,
    );
  });

  test('L07: is never negative', () => {
    const clock = { at: startedAt + 600_000, watched: 600_000 };
    const endedAt = startedAt - HOUR_MS;
    expect(elapsedOf({ startedAt, endedAt, progress: progressOf(0, [], { clock }) }, 0)).toBe(
      600_000,
    );
    expect(elapsedOf({ startedAt, endedAt: null, progress: null }, startedAt - HOUR_MS)).toBe(0);
  });

  test('goes on up to now while it has no end', () => {
    expect(elapsedOf({ startedAt, endedAt: null, progress: null }, startedAt + 7_000)).toBe(7_000);
  });
});
