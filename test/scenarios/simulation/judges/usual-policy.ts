import {
  type FailurePolicy,
  type OnFailure,
  policyAfter,
} from '../../../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';

/** What the policy says of the failure that was told, or of an end without one. Only a rejection makes such an end bad. */
export function usualPolicy(
  onFailure: OnFailure,
  record: Pick<AskedRollout, 'events' | 'signals' | 'progress'> | null,
): FailurePolicy {
  const failing = record?.events.find((event) => event.kind === 'failing');
  const isRejected = record?.signals.some(
    ({ kind, wave }) => kind === 'reject' && wave === record.progress?.wave,
  );
  return policyAfter(failing?.failure ?? (isRejected ? 'bad' : 'stuck'), onFailure);
}
