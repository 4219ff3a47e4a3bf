import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { advanceProgress, beginWave } from '../../../lib/domain/judge/wave-progress.ts';
import type { Observation, WaveProgress } from '../../../lib/domain/rollout.ts';
import { observation } from '../arbitraries.ts';
import { seen } from '../examples.ts';

/** Of the time between two reads, this much counts. */
const GAP_MS = 45_000;

/** Reads one after the other, a second apart; answers when the wave last got further. */
function progressedAt(reads: readonly (readonly Observation[])[]): number[] {
  let progress: WaveProgress = beginWave(0, 0);
  return reads.map((observations, index) => {
    progress = advanceProgress(progress, observations, (index + 1) * 1000, GAP_MS);
    return progress.progressedAt;
  });
}

const requested = seen('requested');
const progressing = seen('progressing');
const converged = seen('converged');

describe('beginWave', () => {
  test('starts the deadline, and takes over what was observed of the waves before', () => {
    const observations = [converged, converged];
    expect(beginWave(1, 7000, observations)).toEqual({
      wave: 1,
      progressedAt: 7000,
      readAt: 7000,
      furthest: 6,
      observations,
    });
  });

  test('what the waves before had reached is no progress of this one', () => {
    const begun = beginWave(1, 0, [converged, converged]);
    const same = advanceProgress(begun, [converged, converged, seen('pending')], 1000, GAP_MS);
    expect(same.progressedAt).toBe(0);
    const further = advanceProgress(same, [converged, converged, requested], 2000, GAP_MS);
    expect(further.progressedAt).toBe(2000);
  });
});

describe('advanceProgress', () => {
  test.each<[string, Observation[][], number[]]>([
    [
      'each step on the way moves the deadline',
      [[requested], [progressing], [converged]],
      [1000, 2000, 3000],
    ],
    ['the same again does not', [[progressing], [progressing]], [1000, 1000]],
    ['nothing rolled is no progress', [[seen('pending')], [seen('pending')]], [0, 0]],
    [
      'one of many is enough',
      [
        [progressing, requested],
        [progressing, progressing],
      ],
      [1000, 2000],
    ],
    [
      'H07: an endpoint that flaps is no progress',
      [[converged], [progressing], [converged]],
      [1000, 1000, 1000],
    ],
    [
      'nor is one that comes and goes',
      [[progressing], [seen('missing')], [progressing]],
      [1000, 1000, 1000],
    ],
  ])('%s', (_, reads, moments) => {
    expect(progressedAt(reads)).toEqual(moments);
  });

  test('keeps the wave and takes the observations as they are', () => {
    const progress = advanceProgress(beginWave(4, 0), [converged, requested], 7, GAP_MS);
    expect(progress).toMatchObject({ wave: 4, observations: [converged, requested] });
  });

  test('H26: every complete read is remembered, progress or not', () => {
    const once = advanceProgress(beginWave(0, 0), [requested], 1000, GAP_MS);
    expect(once).toMatchObject({ progressedAt: 1000, readAt: 1000 });
    expect(advanceProgress(once, [requested], 2000, GAP_MS)).toMatchObject({
      progressedAt: 1000,
      readAt: 2000,
    });
  });

  test('X10, L07: time in which nobody looked does not count', () => {
    const hourMs = 3_600_000;
    const once = advanceProgress(beginWave(0, 0), [requested], 1000, GAP_MS);
    const later = advanceProgress(once, [requested], 1000 + hourMs, GAP_MS);
    expect(1000 + hourMs - later.progressedAt).toBe(GAP_MS);
  });

  test('invariant 14: the deadline moves only so often, whatever the endpoints do', () => {
    const reads = fc
      .integer({ min: 1, max: 4 })
      .chain((size) =>
        fc.array(fc.array(observation, { minLength: size, maxLength: size }), { maxLength: 60 }),
      );
    fc.assert(
      fc.property(reads, (waves) => {
        const moments = new Set(progressedAt(waves));
        const size = waves[0]?.length ?? 0;
        // Three steps for each endpoint, and the beginning.
        expect(moments.size).toBeLessThanOrEqual(3 * size + 1);
      }),
    );
  });
});
