import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { leaseUntil } from '../../domain/rollout/lease.ts';
import type { AskedRollout, RolloutRecord, Signal } from '../../domain/rollout/record.ts';
import { kindOf } from '../../domain/signals/signals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RecordPorts } from './ports.ts';

/**
 * Closes a rollout with regard to all of its signals up to that moment. `decide` gets the record. As long as it
 * answers `null`, because new signals came before it could close the rollout, it gets a newer record.
 */
export async function closeOnLatestRecord<T>(
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
  decide: (record: AskedRollout | null) => Promise<T | null>,
): Promise<T> {
  for (;;) {
    const closed = await decide(await findRecord(rolloutId, ledger));
    if (closed !== null) return closed;
  }
}

/** The ledger's record of a rollout; `null` when nobody has asked for the rollout. */
export async function findRecord(
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
): Promise<AskedRollout | null> {
  try {
    return await ledger.read(rolloutId);
  } catch (error) {
    if (errorNameOf(error) === ErrorName.RolloutNotFound) return null;
    throw error;
  }
}

/**
 * Takes the lease of a rollout that was opened, or has it already, and answers whether it is ours: the ledger gives it to
 * nobody while another process has it.
 */
export async function takeLease(
  { request }: Pick<RolloutRecord, 'request'>,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<boolean> {
  const now = clock.now();
  try {
    await ledger.open(request, now, leaseUntil(now));
    return true;
  } catch (error) {
    if (isNotOurs(errorNameOf(error))) return false;
    throw error;
  }
}

/** Says of an open rollout that another process has its lease, or has had it since. */
export function isNotOurs(name: string | undefined): boolean {
  return name === ErrorName.LeaseHeld || name === ErrorName.LeaseLost;
}

/** The signals of a rollout that count. Of some kinds that depends on how their sender stands now. */
export async function signalsThatCount(
  signals: readonly Signal[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const counted: Signal[] = [];
  for (const signal of signals) {
    const { counts } = kindOf(signal);
    if (!counts || counts(await findRecord(signal.by, ledger), clock.now())) counted.push(signal);
  }
  return counted;
}
