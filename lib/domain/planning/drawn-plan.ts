import type { ShownWord } from '../endpoint/status-words.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRequest } from '../rollout/request.ts';
import type { PatternMatches } from './patterns.ts';

/** A plan that nobody has begun with, and what was learnt when it was made. */
export interface DrawnPlan
  extends Pick<
    RolloutRequest,
    'runtimeId' | 'desiredVersion' | 'versions' | 'passedOver' | 'revert'
  > {
  /** Base URL of the fleet's service. @default - not recorded */
  readonly endpointUrl?: string | undefined;
  /** Whether a rollout would wait until the version is made. */
  readonly isBeingMade: boolean;
  readonly policy: RolloutPolicy;
  readonly plan: RolloutPlan;
  /** Why gates of the plan can never be answered, in sentences. */
  readonly unanswerable: readonly string[];
  /** What the words of the policy match that are there to match endpoints. A revert asks for none. */
  readonly matches: readonly PatternMatches[];
  /** The status words that the list shows. A revert and a group ask for none. */
  readonly words: readonly ShownWord[];
  /** The name of exactly this plan: `rollout start --plan` refuses any other plan. */
  readonly fingerprint: string;
}
