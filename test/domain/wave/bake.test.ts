import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bakeLeftMs,
  judgeApproval,
  judgeBake,
  waitsOfBake,
} from '../../../lib/domain/wave/bake.ts';
import { planOf, progressOf } from '../examples.ts';

const planWith = (bakeSeconds: number) => planOf([1], { waves: [{ from: 0, to: 1, bakeSeconds }] });
const baked = (bakedMs: number | null) => progressOf(0, [], { bakedMs });

/** Seconds until the next look; 0 once it has baked. */
function look(bakeSeconds: number, bakedSeconds: number): number {
  const verdict = judgeBake(planWith(bakeSeconds), baked(bakedSeconds * 1000));
  return verdict === 'baked' ? 0 : verdict.lookAgainIn;
}

describe('a bake', () => {
  test.each<[string, number, number, number]>([
    ['no bake', 0, 0, 0],
    ['shorter than a look', 30, 0, 30],
    ['a minute at a time', 300, 0, 60],
    ['the last of it', 300, 270, 30],
    ['less than a second of it', 300, 299.5, 1],
    ['baked', 300, 300, 0],
    ['baked long ago', 300, 9000, 0],
    ['twelve hours, a minute at a time, too', 43_200, 0, 60],
    ['twelve hours, the last of it', 43_200, 43_170, 30],
  ])('%s', (_, bakeSeconds, bakedSeconds, seconds) => {
    expect(look(bakeSeconds, bakedSeconds)).toBe(seconds);
  });

  test('a bake that begins now has all of it before it', () => {
    expect(judgeBake(planWith(45), baked(null))).toEqual({ lookAgainIn: 45 });
  });

  test('each wave bakes for its own time', () => {
    const waves = [
      { from: 0, to: 1, bakeSeconds: 10 },
      { from: 1, to: 2, bakeSeconds: 20 },
    ];
    const plan = planOf([1, 1], { waves });
    expect(judgeBake(plan, progressOf(1, [], { bakedMs: 0 }))).toEqual({ lookAgainIn: 20 });
  });

  test('looks add up to the bake, and none is more than a minute after the one before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 604_800 }), (bakeSeconds) => {
        const waits = waitsOfBake(bakeSeconds);
        expect(waits.reduce((sum, seconds) => sum + seconds, 0)).toBe(bakeSeconds);
        expect(Math.max(...waits)).toBeLessThanOrEqual(60);
        expect(waits).toHaveLength(Math.ceil(bakeSeconds / 60));
      }),
    );
  });

  test('has a look whenever its gates are due, and none without a wait', () => {
    const bakes = fc.integer({ min: 1, max: 43_200 });
    fc.assert(
      fc.property(bakes, fc.integer({ min: 15, max: 3_600 }), (bakeSeconds, everySeconds) => {
        const waits = waitsOfBake(bakeSeconds, everySeconds);
        const looks = waits.map((_, index) => waits.slice(0, index + 1).reduce((a, b) => a + b, 0));
        expect(looks.at(-1)).toBe(bakeSeconds);
        expect(Math.min(...waits)).toBeGreaterThan(0);
        for (let due = everySeconds; due < bakeSeconds; due += everySeconds) {
          expect(looks).toContain(due);
        }
      }),
    );
  });
});

test.each<[string, number | null, number]>([
  ['not begun', null, 300_000],
  ['under way', 100_000, 200_000],
  ['just over', 300_000, 0],
  ['of a plan whose bake was longer', 360_000, 0],
])('how long a bake of 300 s still is: %s', (_, bakedMs, milliseconds) => {
  expect(bakeLeftMs(planWith(300), baked(bakedMs))).toBe(milliseconds);
});

test('an answer to a wave is heard within 60 s in the first hour, and within 300 s after it', () => {
  const approval = { timeoutSeconds: 90_000 };
  let [asked, rarest, rarestLater] = [0, 0, 0];
  for (;;) {
    const verdict = judgeApproval({ askedMs: asked * 1000 }, approval);
    if (verdict === 'over') break;
    const seconds = verdict.lookAgainIn;
    if (asked < 3600) rarest = Math.max(rarest, seconds);
    else rarestLater = Math.max(rarestLater, seconds);
    asked += seconds;
  }
  expect([asked, rarest, rarestLater]).toEqual([90_000, 60, 300]);
});
