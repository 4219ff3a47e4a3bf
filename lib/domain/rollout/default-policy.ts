import type { RolloutPolicy } from './policy.ts';

export const PRESET_NAMES = ['all-at-once', 'canary', 'linear', 'careful'] as const;
type PresetName = (typeof PRESET_NAMES)[number];

const HOUR = 3600;

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

/**
 * The policy that holds unless the configuration says otherwise. It is at least as careful as Amazon's own practice:
 * one endpoint first, and at most a third of the fleet in mid-roll
 * (https://aws.amazon.com/builders-library/automating-safe-hands-off-deployments/).
 */
export const DEFAULT_POLICY: RolloutPolicy = {
  selection: { names: [], ids: [], exclude: [] },
  waves: [{ endpoints: 1 }, { percent: 25 }, { percent: 100 }],
  maxUnavailable: { percent: 33 },
  failureThreshold: { endpoints: 0 },
  bakeSeconds: 300,
  pollSeconds: 5,
  maxPollSeconds: 30,
  /** Kubernetes, Argo Rollouts and Flagger all give a rollout 600 s without progress. */
  progressDeadlineSeconds: 600,
  /** What is stuck may still serve the version before. What is bad may serve, and does harm. */
  onFailure: { stuck: 'stop-old', bad: 'roll-back' },
  /** Half, so that no series of bad releases can ever stop a fleet. */
  minServing: { percent: 50 },
  protect: [],
  allowDowngrade: false,
  maxVersionStep: 1_000,
  verify: { approval: null },
  statuses: {
    failed: ['ERROR', 'FAILED', '*_FAILED', '*_ERROR'],
    stopped: ['STOPPED', 'STOPPING'],
    serving: ['ACTIVE', 'AVAILABLE', 'HEALTHY', 'IN_SERVICE', 'LIVE', 'ONLINE', 'READY', 'RUNNING'],
    busy: [
      ...[
        'CREATING',
        'UPDATING',
        'MODIFYING',
        'PROVISIONING',
        'DEPLOYING',
        'STARTING',
        'RESTARTING',
      ],
      ...['SCALING', 'BUSY', 'LOCKED', 'PENDING', '*_PENDING', 'WAITING_*', '*_PROGRESS'],
    ],
    unknown: 'wait',
  },
  windows: [],
  freezes: [],
  outsideWindow: 'wait',
  windowsBind: 'start',
  onConflict: 'refuse',
};
