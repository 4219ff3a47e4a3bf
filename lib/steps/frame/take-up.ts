import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type Lease, leaseUntil } from '../../domain/rollout/lease.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import { activePlan, type RolloutRecord, wasOpened } from '../../domain/rollout/record.ts';
import type { RecordPorts } from './ports.ts';
import { signalsThatCount } from './signals-that-count.ts';

/**
 * Takes up the rollout from the state in the ledger: reads the record, and proves and extends the lease. Answers the
 * plan that is followed now, which is that of the rollback once there is one.
 *
 * @throws `LeaseLost`, `IncompatibleState` when the plan is missing.
 */
export async function takeUp(
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
  { runtimeId, rolloutId, epoch }: Lease,
): Promise<{ lease: Lease; record: RolloutRecord; plan: RolloutPlan }> {
  const lease = { runtimeId, rolloutId, epoch };
  const known = await ledger.read(rolloutId);
  if (!wasOpened(known)) {
    throw new SteprollError(ErrorName.IncompatibleState, 'This rollout was never opened.');
  }
  const record = { ...known, signals: await signalsThatCount(known.signals, { ledger, clock }) };
  await ledger.renew(lease, leaseUntil(clock.now()));
  const plan = activePlan(record);
  if (plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  return { lease, record, plan };
}
