import type { Ending } from '../decision.ts';
import type { FailurePolicy } from '../policy.ts';
import type { RolloutRecord } from '../rollout.ts';
import { findAbort, type Signal } from '../signal.ts';

/** The ending of a rollout that a person has aborted. */
export function endByAbort({ by, reason }: Signal): Ending {
  return {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: `Aborted by ${by}${reason === '' ? '' : `: ${reason}`}.`,
  };
}

/**
 * The ending of a rollout that was about to end otherwise: an abort that was accepted before it ended makes it
 * Aborted, and why it was ending is told behind. Where an error kept it from what the abort asked for, it ends by
 * that error.
 */
export function heedAbort(ending: Ending, signals: readonly Signal[]): Ending {
  const abort = findAbort(signals);
  if (abort === undefined || ending.outcome === 'Aborted') return ending;
  const isLeftAsItIs = (abort.onFailure ?? 'hold') === 'hold';
  if (ending.outcome === 'Errored' && !isLeftAsItIs) return ending;
  const aborted = endByAbort(abort);
  return { ...aborted, message: `${aborted.message} ${ending.message}` };
}

/** What becomes of what was rolled: as a person said last, or else as the policy has it. */
export function failurePolicyOf({
  request,
  signals,
  progress,
}: Pick<RolloutRecord, 'request' | 'signals' | 'progress'>): FailurePolicy {
  const abort = findAbort(signals);
  if (abort !== undefined) return abort.onFailure ?? 'hold';
  const rejection = signals.find(({ kind, wave }) => kind === 'reject' && wave === progress?.wave);
  return rejection?.onFailure ?? request.policy.onFailure;
}
