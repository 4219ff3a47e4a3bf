import type { FailurePolicy } from './policy.ts';

/** What a person says to a rollout that is under way; `give-way` is said by a newer rollout. */
export const SIGNAL_KINDS = ['approve', 'reject', 'abort', 'give-way'] as const;
export interface Signal {
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** 0-based wave that is approved or rejected; `null` for the others. */
  readonly wave: number | null;
  /** What happens to what was rolled, when it is aborted or rejected. @default - the policy decides */
  readonly onFailure?: FailurePolicy;
  /** Who says it: a person, or the id of the newer rollout. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
}
