import type { RolloutPolicy } from './policy.ts';

/**
 * How a rollout is done unless the configuration says otherwise. At least as careful as Amazon's own
 * practice: one endpoint first, at most a third of the fleet in mid-roll
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
  onFailure: 'stop-old',
  /** Half, so that one bad release after the other can never stop a fleet. */
  minServing: { percent: 50 },
  protect: [],
  allowDowngrade: false,
  maxVersionStep: 1_000,
  verify: { probe: null, alarms: [], approval: null },
  statuses: {
    failed: ['ERROR', 'FAILED', '*_FAILED', '*_ERROR'],
    stopped: ['STOPPED', 'STOPPING'],
    serving: ['ACTIVE', 'AVAILABLE', 'HEALTHY', 'IN_SERVICE', 'LIVE', 'ONLINE', 'READY', 'RUNNING'],
  },
  windows: [],
  freezes: [],
  outsideWindow: 'wait',
  onConflict: 'refuse',
};

/** Consecutive complete reads that must agree before an endpoint counts as converged or failed. */
export const SETTLING_READS = 2;

/** Consecutive complete reads without an endpoint before it counts as vanished: one read may be stale. */
export const VANISHING_READS = 3;

/** Consecutive complete reads without the desired target before a roll may be made once more. */
export const REGISTERING_READS = 3;

/** Times that the service may refuse one roll with an error worth another try. */
export const MAX_REFUSALS = 5;

/**
 * Endpoints that one call of the roll function writes to. It reads the list and then has up to 100 writes to
 * make, 8 at a time. Where those take long it reads the list again, every 15 s at most, and ends after 200 s.
 */
export const ROLL_BATCH_SIZE = 100;

/**
 * Endpoints that one call of the stop function looks at. Each stop has a complete list read of its
 * own just before it: 24 s for each in the function's 600 s. 10,000 old endpoints are 400 batches, and
 * those are 60 KB of the 128 KiB that a state may carry.
 */
export const STOP_BATCH_SIZE = 25;

/** Batches that one pass through the workflow hands out; what is left over waits for the next poll. */
export const MAX_BATCHES = 40;

/**
 * Days that a rollout waits for a window to open, at most. It starts with nobody looking: after a week
 * what was asked for may not be what anybody wants any more.
 */
export const LONGEST_WINDOW_WAIT_DAYS = 7;
