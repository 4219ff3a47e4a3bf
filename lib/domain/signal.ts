import type { WriteOperation } from './journal.ts';
import type { FailurePolicy } from './policy.ts';

/** What a person says to a rollout that is under way; `give-way` is said by a newer rollout. */
export const SIGNAL_KINDS = ['approve', 'reject', 'abort', 'give-way'] as const;
export interface Signal {
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** 0-based wave that is approved or rejected; `null` for the others. */
  readonly wave: number | null;
  /**
   * What happens to what was rolled, when it is aborted or rejected.
   * @default - hold of an abort; of a rejection the policy decides
   */
  readonly onFailure?: FailurePolicy;
  /** Who says it: a person, or the id of the newer rollout. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
}

/** The abort that counts: whoever says more after a first one means it. */
export function findAbort(signals: readonly Signal[]): Signal | undefined {
  return signals.findLast(({ kind }) => kind === 'abort');
}

/**
 * Whether a rollout may still send a write of this kind, given what was said to it. An abort ends all writes but
 * those that it asks for: on the way back nothing is ever stopped, so `stop-old` ends it like `hold`. One that
 * gives way leaves every endpoint to the newer rollout, but a way back is gone to its end.
 */
export function mayWrite(operation: WriteOperation, signals: readonly Signal[]): boolean {
  const abort = findAbort(signals);
  if (abort !== undefined) return operation === ASKED_FOR[abort.onFailure ?? 'hold'];
  return operation === 'roll-back' || !signals.some(({ kind }) => kind === 'give-way');
}

const ASKED_FOR: Readonly<Record<FailurePolicy, WriteOperation | null>> = {
  hold: null,
  'stop-old': 'stop',
  'roll-back': 'roll-back',
};
