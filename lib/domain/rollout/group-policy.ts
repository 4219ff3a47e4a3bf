import { DEFAULT_POLICY } from './default-policy.ts';
import type { RolloutPolicy } from './policy.ts';

/**
 * How a group is released unless the configuration says otherwise. The policy of each runtime decides about its
 * endpoints: their bakes, gates, deadlines, and whether they may go to a lower version.
 */
export const DEFAULT_GROUP_POLICY: RolloutPolicy = {
  ...DEFAULT_POLICY,
  maxAtRisk: 1,
  /** A look costs as much as one of a runtime, which takes many minutes. `npm run bench` counts what looks add. */
  maxPollSeconds: 450,
  /** Each runtime has baked when its own rollout succeeds. */
  bakeSeconds: 0,
  /** A runtime's rollout ends by its own deadlines, after bakes of hours and days of waiting for a window or a yes. */
  progressDeadlineSeconds: 7 * 24 * 3600,
  onFailure: 'hold',
  minServing: 0,
  allowDowngrade: true,
  maxVersionStep: Number.MAX_SAFE_INTEGER,
};
