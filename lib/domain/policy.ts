/** How a rollout is done. What is rolled comes from the trigger, how it is rolled from here. */
export interface RolloutPolicy {
  /** Cumulative sizes of the waves, rising; the last one is 100 %. */
  readonly waves: readonly WaveSize[];
  /** Most endpoints of the selection that may be in mid-roll at once. */
  readonly maxUnavailable: WaveSize;
  /** Seconds between a wave's convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
  /** Seconds between two reads of the list. */
  readonly pollSeconds: number;
  /** Seconds without progress after which a wave has failed. */
  readonly progressDeadlineSeconds: number;
  readonly onFailure: FailurePolicy;
  /** A stop that would leave fewer endpoints of the runtime serving is kept back. */
  readonly minServing: number;
  /** Endpoint ids or names that are never stopped. */
  readonly protect: readonly string[];
  readonly statuses: StatusWords;
}

/** A number of endpoints, or a share of them: `percent` is above 0 and at most 100. */
export type WaveSize = { readonly endpoints: number } | { readonly percent: number };

export const FAILURE_POLICIES = ['stop-old', 'hold'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** Status words of the service, compared without case; `*` stands for any run of characters. */
export interface StatusWords {
  readonly failed: readonly string[];
  readonly stopped: readonly string[];
}
