import { requestRecord } from '../../../contract/ledger/records.ts';
import {
  HISTORY_INDEX,
  LISTED_IN_ALL,
  OPEN_AS,
  OPEN_INDEX,
} from '../../../contract/ledger/table.ts';
import { concludeTakenOver } from '../../../domain/ending/abandoned.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { RolloutRequest } from '../../../domain/rollout/request.ts';
import { UNDERSTOOD } from '../../../domain/signals/signals.ts';
import { isHeld, type StoredLease } from '../held-lease.ts';
import { leaseHeld, leaseLost, otherRuntime, refuseTakeOver } from '../ledger-errors.ts';
import { readRollout } from './history.ts';
import { findRollout, pack, parseRollout, rolloutKey, storeOutcome, unpack } from './items.ts';
import { findLease, leaseKey, listHeld, releaseLease, renewLease } from './lease.ts';
import { noMoreSignalsThan } from './signals.ts';
import type { Item, Table } from './table.ts';

/** An open takes three passes. Each further pass means that another writer was faster. */
const MOST_PASSES = 10;

/**
 * Opens a rollout in passes. Each pass reads anew and makes the one change that is still missing (take the lease,
 * record the request, extend the lease), on condition that nothing has changed since. So a call that is made twice,
 * or that goes on after a process died half-way, has the same result as a single call.
 */
export async function openRollout(
  table: Table,
  request: RolloutRequest,
  now: number,
  leaseUntil: number,
): Promise<Lease> {
  const { runtimeId, rolloutId } = request;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    // The lease is read first: if this rollout has been opened and closed since, the epoch shows it.
    const held = await findLease(table, runtimeId);
    const item = await table.get(rolloutKey(rolloutId));
    const recorded = item === null ? null : await recordedLease(table, item, request, held);
    if (recorded !== null) {
      await renewLease(table, recorded, leaseUntil);
      return recorded;
    }
    if (held !== null && held.rolloutId === rolloutId) {
      await recordRequest(table, request, held.epoch, now);
    } else {
      await checkHolder(table, request, held);
      if (isHeld(held, now)) throw leaseHeld(runtimeId, held.rolloutId, held.leaseUntil);
      await takeLease(table, request, held, now, leaseUntil);
    }
  }
  throw new SteprollError(
    ErrorName.LedgerUnavailable,
    `The lease of runtime ${JSON.stringify(runtimeId)} changed hands ${MOST_PASSES} times while it was read.`,
  );
}

/**
 * The lease that this rollout got when it was opened; `null` when it was only asked for.
 *
 * @throws `LeaseLost` when it was closed or buried. If it still holds a lease, the lease is given back first.
 */
async function recordedLease(
  table: Table,
  item: Item,
  request: RolloutRequest,
  held: StoredLease | null,
): Promise<Lease | null> {
  const { runtimeId, rolloutId } = request;
  if (item.leaseLost === true) throw leaseLost(rolloutId);
  const recorded = parseRollout(item);
  if (recorded.runtimeId !== runtimeId) throw otherRuntime(request);
  if (recorded.epoch > 0) return { runtimeId, rolloutId, epoch: recorded.epoch };
  if (recorded.outcomeData === undefined) return null;
  if (held?.rolloutId === rolloutId) {
    await releaseLease(table, { runtimeId, rolloutId, epoch: held.epoch });
  }
  throw leaseLost(rolloutId);
}

/** @throws `LeaseHeld` */
async function checkHolder(
  table: Table,
  request: RolloutRequest,
  seen: StoredLease | null,
): Promise<void> {
  const holder = seen?.rolloutId == null ? null : await findRollout(table, seen.rolloutId);
  if (holder === null || holder.outcomeData !== undefined) return;
  refuseTakeOver(unpack(requestRecord, holder.requestData).request, request);
}

async function takeLease(
  table: Table,
  { runtimeId, rolloutId }: RolloutRequest,
  seen: StoredLease | null,
  now: number,
  leaseUntil: number,
): Promise<void> {
  const values = {
    ':runtimeId': runtimeId,
    ':rolloutId': rolloutId,
    ':next': (seen?.epoch ?? 0) + 1,
    ':until': leaseUntil,
    ':held': OPEN_AS.lease,
  };
  const expression = `SET runtimeId = :runtimeId, rolloutId = :rolloutId, epoch = :next, leaseUntil = :until, ${OPEN_INDEX.key} = :held`;
  if (seen === null) {
    const condition = 'attribute_not_exists(pk)';
    await table.update(leaseKey(runtimeId), { expression, condition, values });
    return;
  }
  if (seen.rolloutId !== null) {
    // This happens before the lease moves. From here on the old holder writes nothing.
    if (!(await giveUp(table, seen.rolloutId, rolloutId, now))) return;
  }
  await table.update(leaseKey(runtimeId), {
    expression,
    condition: 'epoch = :seenEpoch AND leaseUntil = :seenUntil',
    values: { ...values, ':seenEpoch': seen.epoch, ':seenUntil': seen.leaseUntil },
  });
}

/**
 * Closes the rollout that let its lease run out. If its request is not recorded yet, it keeps the rollout from ever
 * being recorded. `false`: the rollout was recorded or got more signals meanwhile, so the next pass has to look
 * again.
 */
async function giveUp(
  table: Table,
  holder: string,
  takenBy: string,
  now: number,
): Promise<boolean> {
  if ((await findRollout(table, holder)) === null) return keepOut(table, holder);
  const record = await readRollout(table, holder);
  if (record.outcome !== null) return true;
  const outcome = concludeTakenOver(record, takenBy);
  const only = await noMoreSignalsThan(table, holder, record.signals.length);
  return (await storeOutcome(table, holder, outcome, now, only)) !== null;
}

/** Makes sure that a rollout can no longer be recorded. `false`: its request is recorded already. */
async function keepOut(table: Table, rolloutId: string): Promise<boolean> {
  const marked = await table.update(rolloutKey(rolloutId), {
    expression: 'SET leaseLost = :lost',
    condition: 'attribute_not_exists(requestData)',
    values: { ':lost': true },
  });
  return marked !== null;
}

async function recordRequest(
  table: Table,
  request: RolloutRequest,
  epoch: number,
  now: number,
): Promise<void> {
  await table.update(rolloutKey(request.rolloutId), {
    expression: `SET runtimeId = :runtimeId, epoch = :epoch, startedAt = :now, requestData = :request, understands = :understands, ${HISTORY_INDEX.key} = :all REMOVE ${OPEN_INDEX.key}`,
    condition:
      'attribute_not_exists(epoch) AND attribute_not_exists(leaseLost) AND attribute_not_exists(outcomeData)',
    values: {
      ':runtimeId': request.runtimeId,
      ':epoch': epoch,
      ':now': now,
      ':request': pack(request),
      ':understands': UNDERSTOOD,
      ':all': LISTED_IN_ALL,
    },
  });
}

/**
 * Marks the rollout as one that lost its lease. Whoever opens it later finds the mark before taking anything. An
 * `open` that is just between its own read and write may still take the lease. Then the lease shows as held, and
 * burying the rollout once more gives it back.
 */
export async function buryRollout(table: Table, rolloutId: string): Promise<void> {
  if (!(await keepOut(table, rolloutId))) return;
  const held = await listHeld(table);
  const lease = held.find((each) => each.rolloutId === rolloutId);
  if (lease !== undefined) await releaseLease(table, lease);
}
