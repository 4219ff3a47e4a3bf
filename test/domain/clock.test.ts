import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  latestOf,
  type Moment,
  moveOn,
  standStill,
  startClock,
  tick,
} from '../../lib/domain/clock.ts';

const HOUR_MS = 3_600_000;
const clock: Moment = { at: 10_000, watched: 4_000 };

test('the clock of a rollout begins with its first wave', () => {
  expect(startClock(10_000)).toEqual({ at: 10_000, watched: 0 });
});

describe('X10, L07: a step after a wait of 15 s moves it on', () => {
  test.each<[string, number, number]>([
    ['by the wait', 15_000, 15_000],
    ['by what has passed, where the wait was cut short', 6_000, 6_000],
    ['by no more than the wait, where the step begins late', 15_500, 15_000],
    ['by no more than the wait, where the machine slept', HOUR_MS, 15_000],
    ["by the wait, where the machine's clock went back", -HOUR_MS, 15_000],
  ])('%s', (_, passedMs, watchedMs) => {
    expect(moveOn(clock, 10_000 + passedMs, 15_000)).toMatchObject({
      at: 10_000 + passedMs,
      watched: 4_000 + watchedMs,
    });
  });

  test.each([2_000, HOUR_MS, -HOUR_MS])(
    'and not at all when that wait was counted before: %i ms later',
    (passedMs) => {
      expect(moveOn(clock, 10_000 + passedMs, 0)).toMatchObject({ watched: 4_000 });
    },
  );
});

test('what writes do after their last line counts as well, up to half a minute', () => {
  expect(moveOn(clock, 10_000 + 45_000, 15_000, true)).toMatchObject({ watched: 49_000 });
  expect(moveOn(clock, 10_000 + 45_001, 15_000, true)).toMatchObject({ watched: 19_000 });
});

test.each<[string, number, number]>([
  ['what it took', 120_000, 120_000],
  ['nothing, where it seems to have taken longer than it can', 120_001, 0],
  ['nothing, where it seems to go back', -1, 0],
])('L07: what a step does moves it on by %s', (_, passedMs, watchedMs) => {
  expect(tick(clock, 99_000, passedMs)).toMatchObject({
    at: 99_000,
    watched: 4_000 + watchedMs,
  });
});

test.each([HOUR_MS, -HOUR_MS])(
  'X03: it stands still while no process runs, for %i ms',
  (awayMs) => {
    const resumed = standStill(clock, 10_000 + awayMs);
    expect(resumed).toMatchObject({ at: 10_000 + awayMs, watched: 4_000 });
    expect(standStill(resumed, 10_000 + awayMs)).toEqual(resumed);
  },
);

test('the last write since a look has moved it on, whatever a machine said then', () => {
  const writes = [
    { at: 11_000, watched: 5_000 },
    { at: 9_000, watched: 6_500 },
    { at: 8_000, watched: 5_500 },
  ];
  expect(latestOf(clock, writes)).toMatchObject({ at: 9_000, watched: 6_500 });
  expect(latestOf(clock, [{ at: 99_000, watched: 3_999 }])).toEqual(clock);
});

test('it has stood still from a look to a write of a batch that was tried again', () => {
  const { at, watched } = clock;
  const written = latestOf(clock, [{ at: at + 1_000, watched }, clock]);

  expect(written).toEqual({ at: at + 1_000, watched });
  expect(moveOn(written, at + 6_000, 5_000, true).watched).toBe(watched + 5_000);
});

test('it never falls, and goes on by no more than was waited for and than steps can take', () => {
  const moment = fc.integer({ min: 0, max: 10 * HOUR_MS });
  const step = fc.tuple(moment, fc.nat(HOUR_MS), moment);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let now = clock;
      for (const [begins, waitedMs, ends] of steps) {
        const next = tick(moveOn(now, begins, waitedMs), ends, ends - begins);
        expect(next.watched).toBeGreaterThanOrEqual(now.watched);
        expect(next.watched - now.watched).toBeLessThanOrEqual(waitedMs + 120_000);
        now = next;
      }
    }),
  );
});
