import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addBake, addDoubt, bakeLookSeconds, sinceBakedMs } from '../../../lib/domain/wave/bake.ts';
import { planOf, policyOf, progressOf } from '../examples.ts';

const planWith = (bakeSeconds: number) => planOf([1], { waves: [{ from: 0, to: 1, bakeSeconds }] });
const baked = (bakedMs: number | null) => progressOf(0, [], { bakedMs });

const look = (bakeSeconds: number, bakedSeconds: number) =>
  bakeLookSeconds(planWith(bakeSeconds), baked(bakedSeconds * 1000));

describe('bakeLookSeconds', () => {
  test.each<[string, number, number, number]>([
    ['no bake', 0, 0, 0],
    ['shorter than a look', 30, 0, 30],
    ['a minute at a time', 300, 0, 60],
    ['the last of it', 300, 270, 30],
    ['less than a second of it', 300, 299.5, 1],
    ['baked', 300, 300, 0],
    ['baked long ago', 300, 9000, 0],
    ['twelve hours, a hundredth at a time', 43_200, 0, 432],
    ['twelve hours, the last of it', 43_200, 43_100, 100],
  ])('%s', (_, bakeSeconds, bakedSeconds, seconds) => {
    expect(look(bakeSeconds, bakedSeconds)).toBe(seconds);
  });

  test('a bake that begins now has all of it before it', () => {
    expect(bakeLookSeconds(planWith(45), baked(null))).toBe(45);
  });

  test('each wave bakes for its own time', () => {
    const waves = [
      { from: 0, to: 1, bakeSeconds: 10 },
      { from: 1, to: 2, bakeSeconds: 20 },
    ];
    const plan = planOf([1, 1], { waves });
    expect(bakeLookSeconds(plan, progressOf(1, [], { bakedMs: 0 }))).toBe(20);
  });

  test('looks add up to the bake, and to about a hundred at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 604_800 }), (bakeSeconds) => {
        let [seconds, looks] = [0, 0];
        while (looks <= 101 && look(bakeSeconds, seconds) > 0) {
          seconds += look(bakeSeconds, seconds);
          looks += 1;
        }
        expect(seconds).toBe(bakeSeconds);
        expect(looks).toBeLessThanOrEqual(101);
      }),
    );
  });
});

test.each<[string, number | null, number]>([
  ['not begun', null, -300_000],
  ['under way', 100_000, -200_000],
  ['just over', 300_000, 0],
  ['over for a minute', 360_000, 60_000],
])('how long a bake of 300 s has been over: %s', (_, bakedMs, milliseconds) => {
  expect(sinceBakedMs(planWith(300), baked(bakedMs))).toBe(milliseconds);
});

test.each<[string, number | null, number, number]>([
  ['the wait', null, 60_000, 60_000],
  ['the wait, on top of those before', 120_000, 60_000, 180_000],
  ['no more than the wait, although the clock went on', 0, 3_660_000, 60_000],
  ['nothing, where the clock went back', 120_000, -3_600_000, 120_000],
  ['what passed, where the wait was cut short', 0, 20_000, 20_000],
])('X10: after a wait of 60 s a wave has baked for %s', (_, bakedMs, passedMs, milliseconds) => {
  const readAt = 1_000_000;
  const before = { wave: 0, bakedMs, readAt, doubtMs: null, unreadableMs: null };
  expect(addBake(planWith(300), before, readAt + passedMs, 60, true)).toBe(milliseconds);
});

test('the time of an approval begins only when somebody was asked', () => {
  const add = (bakedMs: number) =>
    addBake(
      planWith(300),
      { wave: 0, bakedMs, readAt: 0, doubtMs: null, unreadableMs: null },
      ...([60_000, 60, false] as const),
    );
  expect(add(200_000)).toBe(260_000);
  expect(add(280_000)).toBe(300_000);
  expect(add(300_000)).toBe(300_000);
});

test.each<[string, number, number]>([
  ['a bake goes on to its end', 280_000, 300_000],
  ['the time of an approval stands still', 340_000, 340_000],
])('in doubt, or after a list that could not be read, %s', (_, bakedMs, milliseconds) => {
  for (const reason of [{ doubtMs: 15_000 }, { unreadableMs: 0 }]) {
    const before = { wave: 0, bakedMs, readAt: 0, doubtMs: null, unreadableMs: null, ...reason };
    expect(addBake(planWith(300), before, 60_000, 60, true)).toBe(milliseconds);
  }
});

describe('addDoubt', () => {
  const policy = policyOf({ pollSeconds: 7, progressDeadlineSeconds: 90 });
  const add = (doubtMs: number | null, passedMs: number, meantMs = passedMs) =>
    addDoubt({ doubtMs, readAt: 1_000_000 }, policy, 1_000_000 + passedMs, meantMs);

  test('it begins with the look that gives the first cause for it', () => {
    expect(add(null, 60_000)).toBe(0);
  });

  test('up to the deadline the time counts in which somebody watched', () => {
    expect(add(0, 19_000)).toBe(19_000);
    expect(add(19_000, 3_600_000, 7_000)).toBe(26_000);
    expect(add(80_000, 19_000)).toBe(90_000);
  });

  test('after the deadline every look counts the same, however long it took', () => {
    expect(add(90_000, 7_000)).toBe(97_000);
    expect(add(97_000, 25_000)).toBe(104_000);
  });
});
