import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { requestRecord, toStoredRequest } from '../../../contract/ledger/records.ts';
import {
  HISTORY_INDEX,
  LISTED_IN_ALL,
  OPEN_AS,
  OPEN_INDEX,
} from '../../../contract/ledger/table.ts';
import { concludeTakenOver } from '../../../domain/ending/abandoned.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { AskedRequest, RolloutRequest } from '../../../domain/rollout/request.ts';
import type { Waiting } from '../../../domain/rollout/waiting.ts';
import type { HeldLease } from '../../../ports/ledger.ts';
import {
  leaseHeld,
  leaseLost,
  otherRuntime,
  refuseTakeOver,
  rolloutClosed,
  rolloutNotFound,
} from '../errors.ts';
import { heldLeases, isHeld, type StoredLease } from '../held-lease.ts';
import { readRollout } from './history.ts';
import {
  assertOpen,
  findRollout,
  pack,
  parseRollout,
  rolloutIdOf,
  rolloutKey,
  storeOutcome,
  unpack,
} from './items.ts';
import { noMoreSignalsThan } from './signals.ts';
import type { Item, Key, Table } from './table.ts';

/** An open takes three passes. Each further pass means that another writer was faster. */
const MOST_PASSES = 10;

/** Answers whether the rollout is new. */
export async function enlistRollout(
  table: Table,
  request: AskedRequest,
  waiting: Waiting,
  now: number,
): Promise<boolean> {
  const written = await table.update(rolloutKey(request.rolloutId), {
    expression: `SET runtimeId = :runtimeId, startedAt = :now, requestData = :request, ${HISTORY_INDEX.key} = :all, ${OPEN_INDEX.key} = :asked`,
    condition: 'attribute_not_exists(pk)',
    values: {
      ':runtimeId': request.runtimeId,
      ':now': now,
      ':request': pack(toStoredRequest(request, waiting)),
      ':all': LISTED_IN_ALL,
      ':asked': OPEN_AS.asked,
    },
  });
  return written !== null;
}

/** @throws `RolloutNotFound`, `RolloutClosed`. */
export async function saveWaiting(
  table: Table,
  request: AskedRequest,
  waiting: Waiting | null,
): Promise<void> {
  const { rolloutId } = request;
  const written = await table.update(rolloutKey(rolloutId), {
    expression: 'SET requestData = :request',
    condition: 'attribute_exists(requestData) AND attribute_not_exists(outcomeData)',
    values: { ':request': pack(toStoredRequest(request, waiting)) },
  });
  if (written !== null) return;
  const isKnown = (await findRollout(table, rolloutId)) !== null;
  throw isKnown ? rolloutClosed(rolloutId) : rolloutNotFound(rolloutId);
}

export async function listWaiting(table: Table): Promise<readonly string[]> {
  const items = await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.asked });
  return parseStored(keys, items).map(rolloutIdOf);
}

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
    } else if (isHeld(held, now)) {
      throw leaseHeld(runtimeId, held.rolloutId, held.leaseUntil);
    } else {
      await checkHolder(table, request, held);
      await takeLease(table, request, held, now, leaseUntil);
    }
  }
  throw new SteprollError(
    ErrorName.LedgerUnavailable,
    `The lease of runtime ${JSON.stringify(runtimeId)} changed hands ${MOST_PASSES} times while it was read.`,
  );
}

/** Throws `LeaseLost`. */
export async function renewLease(table: Table, lease: Lease, leaseUntil: number): Promise<void> {
  await assertOpen(table, lease);
  const renewed = await table.update(leaseKey(lease.runtimeId), {
    expression: 'SET leaseUntil = :until',
    condition: 'rolloutId = :rolloutId AND epoch = :epoch AND leaseUntil < :until',
    values: { ':until': leaseUntil, ':rolloutId': lease.rolloutId, ':epoch': lease.epoch },
  });
  if (renewed !== null) return;
  const held = await findLease(table, lease.runtimeId);
  if (held?.rolloutId !== lease.rolloutId || held.epoch !== lease.epoch) {
    throw leaseLost(lease.rolloutId);
  }
}

/** Frees the runtime, unless another rollout holds its lease by now. The epoch stays. */
export async function releaseLease(table: Table, lease: Lease): Promise<void> {
  await table.update(leaseKey(lease.runtimeId), {
    expression: `REMOVE rolloutId, ${OPEN_INDEX.key}`,
    condition: 'rolloutId = :rolloutId AND epoch = :epoch',
    values: { ':rolloutId': lease.rolloutId, ':epoch': lease.epoch },
  });
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
    expression: `SET runtimeId = :runtimeId, epoch = :epoch, startedAt = :now, requestData = :request, ${HISTORY_INDEX.key} = :all REMOVE ${OPEN_INDEX.key}`,
    condition:
      'attribute_not_exists(epoch) AND attribute_not_exists(leaseLost) AND attribute_not_exists(outcomeData)',
    values: {
      ':runtimeId': request.runtimeId,
      ':epoch': epoch,
      ':now': now,
      ':request': pack(request),
      ':all': LISTED_IN_ALL,
    },
  });
}

function leaseKey(runtimeId: string): Key {
  return { pk: `runtime#${runtimeId}`, sk: 'lease' };
}

const keys = z.array(z.object({ pk: z.string() }));

const leaseItem = z.object({
  rolloutId: z.string().nullable().default(null),
  epoch: z.number(),
  leaseUntil: z.number(),
});

export async function findLease(table: Table, runtimeId: string): Promise<StoredLease | null> {
  const item = await table.get(leaseKey(runtimeId));
  return item === null ? null : parseStored(leaseItem, item);
}

export async function listHeld(table: Table): Promise<readonly HeldLease[]> {
  return parseStored(
    heldLeases,
    await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.lease }),
  );
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
