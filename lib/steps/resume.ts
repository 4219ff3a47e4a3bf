import { ErrorName, SteprollError } from '../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
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
  const { bakeSeconds, pollSeconds } = record.request.policy;
  const longestWaitMs = Math.max(bakeSeconds, pollSeconds) * 1000;
  await ledger.renew(lease, clock.now() + longestWaitMs + LEASE_MARGIN_MS);
  if (record.plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  return { record, plan: record.plan };
}
