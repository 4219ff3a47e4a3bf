import { ErrorName, SteprollError } from '../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { Lease, RolloutPlan, RolloutRecord } from '../domain/rollout.ts';
import type { StepPorts } from './step-ports.ts';

/**
 * Picks the rollout up where the ledger has it: proves that the lease still holds, extends it beyond
 * the longest wait that may follow, and reads the record.
 *
 * @throws `LeaseLost`, `IncompatibleState` when the plan is missing.
 */
export async function resume(
  { ledger, clock }: StepPorts,
  lease: Lease,
): Promise<{ record: RolloutRecord; plan: RolloutPlan }> {
  const record = await ledger.read(lease.rolloutId);
  await ledger.renew(lease, leaseUntil(record.request.policy, clock.now()));
  if (record.plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  return { record, plan: record.plan };
}

/** When a lease that is extended at `now` runs out: after the longest wait that may follow. */
export function leaseUntil({ bakeSeconds, pollSeconds }: RolloutPolicy, now: number): number {
  return now + Math.max(bakeSeconds, pollSeconds) * 1000 + LEASE_MARGIN_MS;
}
