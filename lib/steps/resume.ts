import { activePlan } from '../domain/active-plan.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import { type Lease, type RolloutRecord, wasOpened } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { signalsThatCount } from './signals-that-count.ts';
import type { RecordPorts } from './step-ports.ts';

/**
 * Picks the rollout up where the ledger has it: reads the record, and proves and extends the lease.
 * Answers the plan that is followed now, which is the way back once there is one.
 *
 * @throws `LeaseLost`, `IncompatibleState` when the plan is missing.
 */
export async function resume(
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
  { runtimeId, rolloutId, epoch }: Lease,
): Promise<{ lease: Lease; record: RolloutRecord; plan: RolloutPlan }> {
  const lease = { runtimeId, rolloutId, epoch };
  const known = await ledger.read(rolloutId);
  if (!wasOpened(known)) {
    throw new SteprollError(ErrorName.IncompatibleState, 'This rollout was never opened.');
  }
  const record = { ...known, signals: await signalsThatCount(known.signals, { ledger, clock }) };
  await ledger.renew(lease, clock.now() + LEASE_MARGIN_MS);
  const plan = activePlan(record);
  if (plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  return { lease, record, plan };
}
