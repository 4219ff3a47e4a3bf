import { describe, expect, test } from '@jest/globals';
import { completePolicy, policySchema } from '../../../lib/contract/config/policy.ts';
import { parseInput } from '../../../lib/contract/input/parse-input.ts';
import { splitWaves } from '../../../lib/domain/planning/waves.ts';
import { PRESET_NAMES, PRESETS } from '../../../lib/domain/rollout/default-policy.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import { planned } from '../examples.ts';

/** Where the waves of a fleet of 100 end, and how long they bake. */
function wavesOf(preset: (typeof PRESET_NAMES)[number]): [number, number][] {
  const fleet = Array.from({ length: 100 }, (_, index) => planned(`e${index}`));
  const { waves } = splitWaves(fleet, completePolicy({ preset }));
  return waves.map(({ to, bakeSeconds }) => [to, bakeSeconds]);
}

describe.each(PRESET_NAMES)('the preset %s', (preset) => {
  test('makes a whole policy, and changes nothing but what it says', () => {
    const policy = completePolicy({ preset });
    expect(parseInput(policySchema, policy, 'policy')).toEqual({
      ...WHOLE_POLICY,
      ...PRESETS[preset],
    });
  });

  test('gives way to a bake that is said beside it, or nearer, in all of its waves', () => {
    const waves = PRESETS[preset].waves?.map(({ bakeSeconds: _, ...size }) => size);
    expect(completePolicy({ preset, bakeSeconds: 10 })).toMatchObject({ waves, bakeSeconds: 10 });
    const nearer = completePolicy({ bakeSeconds: 10 }, completePolicy({ preset }));
    expect(nearer).toMatchObject({ waves, bakeSeconds: 10 });
  });

  test('gives way to what is said beside it', () => {
    const waves = [{ percent: 100 }];
    const policy = completePolicy({ preset, waves, maxUnavailable: { endpoints: 7 } });
    expect(policy).toMatchObject({ waves, maxUnavailable: { endpoints: 7 } });
  });
});

test.each<[(typeof PRESET_NAMES)[number], [number, number][]]>([
  ['all-at-once', [[100, 300]]],
  [
    'canary',
    [
      [1, 300],
      [100, 300],
    ],
  ],
  ['linear', [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((to): [number, number] => [to, 300])],
  [
    'careful',
    [
      [1, 3600],
      [5, 43_200],
      [20, 14_400],
      [50, 7200],
      [100, 7200],
    ],
  ],
])('the waves of %s', (preset, waves) => {
  expect(wavesOf(preset)).toEqual(waves);
});

test('all at once means all of them at once', () => {
  expect(completePolicy({ preset: 'all-at-once' }).maxUnavailable).toEqual({ percent: 100 });
  for (const preset of PRESET_NAMES.filter((name) => name !== 'all-at-once')) {
    expect(completePolicy({ preset }).maxUnavailable).toEqual(WHOLE_POLICY.maxUnavailable);
  }
});
