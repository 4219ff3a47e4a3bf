import type { RolloutPolicy } from './policy.ts';

export const PRESET_NAMES = ['all-at-once', 'canary', 'linear', 'careful'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const HOUR = 3600;

/** Parts of a policy that go together. */
export const PRESETS: Readonly<Record<PresetName, Partial<RolloutPolicy>>> = {
  'all-at-once': { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
  canary: { waves: [{ endpoints: 1 }, { percent: 100 }] },
  linear: {
    waves: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((percent) => ({ percent })),
  },
  /**
   * The bake times of a large operator: at least an hour after the first endpoint, twelve after the first
   * wave, two to four after each of the rest
   * (https://aws.amazon.com/builders-library/automating-safe-hands-off-deployments/).
   */
  careful: {
    waves: [
      { endpoints: 1, bakeSeconds: HOUR },
      { percent: 5, bakeSeconds: 12 * HOUR },
      { percent: 20, bakeSeconds: 4 * HOUR },
      { percent: 50, bakeSeconds: 2 * HOUR },
      { percent: 100, bakeSeconds: 2 * HOUR },
    ],
  },
};
