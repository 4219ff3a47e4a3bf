import type { FailurePolicy } from '../rollout/policy.ts';
import { findAbort, type RolloutRecord } from '../rollout/record.ts';

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
