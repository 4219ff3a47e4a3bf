import { LISTED_IN_ALL, OPEN_AS } from '../contract/ledger/table.ts';
import { concludeTakenOver } from '../domain/ending/abandoned.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';
import { UNDERSTOOD } from '../domain/signals/signals.ts';
import type { Begin, FreeRuntime } from '../ports/ledger.ts';
import { storeOutcome } from './close.ts';
import { letExpire, type Retention } from './history.ts';
import { heedEnd } from './holds.ts';
import { leaseKey, rolloutKey } from './keys.ts';
import {
  findLease,
  isHeld,
  isOpenWith,
  type LeaseOwner,
  listHeld,
  release,
  renew,
  type StoredLease,
} from './lease.ts';
import { readRecord } from './record.ts';
import {
  changedTooOften,
  leaseHadMeanwhile,
  leaseHeld,
  leaseLost,
  MOST_PASSES,
  otherRuntime,
  refuseTakeOver,
  stillRuns,
} from './refusals.ts';
import { get, type Item, type Rule, update } from './storage.ts';
import { addLines } from './write.ts';

/**
 * Opens a rollout in passes, mostly three. Each pass reads anew and makes the one change that is still missing (take
 * the lease, record the request, extend the lease), on condition that nothing has changed since. So a call that is made
 * twice, or that goes on after a process died half-way, has the same result as a single call.
 */
export function* open(
  owner: LeaseOwner,
  request: RolloutRequest,
  now: number,
  leaseUntil: number,
  begin?: Begin,
  history?: Retention,
): Rule<Lease> {
  const { runtimeId, rolloutId } = request;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    // The lease is read first: if this rollout has been opened and closed since, the epoch shows it.
    const held = yield* findLease(runtimeId);
    const { epoch } = yield* readNotEnded(request, held);
    if (epoch !== undefined) {
      return yield* reopen(owner, { runtimeId, rolloutId, epoch }, held, now, leaseUntil, begin);
    }
    if (held?.rolloutId === rolloutId) yield* recordRequest(request, held.epoch, now, begin);
    else yield* takeLease(owner, request, held, now, leaseUntil, begin, history);
  }
  throw changedTooOften(`The lease of runtime ${JSON.stringify(runtimeId)}`, 'changed hands');
}

/** Whether `open` would take the lease now. @throws as `open` does when it would not. */
export function* mayOpen(
  owner: LeaseOwner,
  request: RolloutRequest,
  now: number,
): Rule<FreeRuntime> {
  const held = yield* findLease(request.runtimeId);
  yield* readNotEnded(request, held);
  const { rolloutId: holder, epoch = 0, leaseUntil = 0 } = held ?? {};
  if (held === null || holder === undefined || holder === request.rolloutId) {
    return { epoch, leaseUntil, dead: null };
  }
  const isOpen = yield* refuseHeld(owner, request, { ...held, rolloutId: holder }, now);
  return { epoch, leaseUntil, dead: isOpen ? holder : null };
}

/** Answers whether the holder has not ended. @throws `LeaseHeld` as long as it may write. */
function* refuseHeld(
  owner: LeaseOwner,
  request: RolloutRequest,
  held: StoredLease & { readonly rolloutId: string },
  now: number,
): Rule<boolean> {
  const { rolloutId: holder, leaseUntil } = held;
  const other = yield* get(rolloutKey(holder), 'request', 'outcome');
  const isOpen = other.request !== undefined && other.outcome === undefined;
  if (isOpen) refuseTakeOver(other.request, request);
  if (isHeld(held, now, owner)) throw leaseHeld(request.runtimeId, holder, leaseUntil);
  return isOpen;
}

/** @throws `LeaseLost` for a rollout that was closed or buried. */
function* readNotEnded(
  request: RolloutRequest,
  held: StoredLease | null,
): Rule<Pick<Item, 'epoch'>> {
  const { runtimeId, rolloutId } = request;
  const known = yield* get(rolloutKey(rolloutId), 'runtimeId', 'epoch', 'leaseLost', 'outcome');
  if (known.leaseLost !== undefined) throw leaseLost(rolloutId);
  if (known.runtimeId !== undefined && known.runtimeId !== runtimeId) throw otherRuntime(request);
  if (known.outcome === undefined) return known;
  // It was closed while it was being opened, and who closed it may not have seen the lease.
  if (known.epoch === undefined && held?.rolloutId === rolloutId) {
    yield* release({ runtimeId, rolloutId, epoch: held.epoch });
  }
  throw leaseLost(rolloutId);
}

/**
 * Opens a rollout again. Where processes can be told apart, another one takes the rollout over only once the first one
 * is gone or its lease has run out, and with a new epoch, so that the two never both write. After another rollout has
 * taken over, the plan is outdated.
 */
function* reopen(
  owner: LeaseOwner,
  lease: Lease,
  held: StoredLease | null,
  now: number,
  leaseUntil: number,
  begin?: Begin,
): Rule<Lease> {
  const { runtimeId, rolloutId } = lease;
  if (held?.rolloutId !== rolloutId || (held.owner ?? '') === owner.name) {
    yield* renew(lease, leaseUntil, true);
    return lease;
  }
  // Another process has begun it meanwhile, even if that is gone: nobody begins it a second time.
  if (begin !== undefined) throw leaseLost(rolloutId);
  if (isHeld(held, now, owner)) throw stillRuns(rolloutId, held.leaseUntil);
  const epoch = lease.epoch + 1;
  // Only a storage that lets nobody come in between has owners, so both writes are made.
  yield* update({
    key: leaseKey(runtimeId),
    set: { epoch, leaseUntil, owner: owner.name },
    only: { rolloutId: { is: rolloutId }, epoch: { is: lease.epoch } },
  });
  yield* update({
    key: rolloutKey(rolloutId),
    set: { epoch, understands: [...UNDERSTOOD] },
    only: isOpenWith(lease),
  });
  return { ...lease, epoch };
}

/** @throws `LeaseHeld` */
function* takeLease(
  owner: LeaseOwner,
  request: RolloutRequest,
  seen: StoredLease | null,
  now: number,
  leaseUntil: number,
  begin?: Begin,
  history?: Retention,
): Rule<void> {
  const { runtimeId, rolloutId } = request;
  const holder = seen?.rolloutId;
  if (seen !== null && holder !== undefined) {
    yield* refuseHeld(owner, request, { ...seen, rolloutId: holder }, now);
  }
  // What others have rolled since, the plan does not know.
  const { epoch = 0, leaseUntil: before = 0 } = seen ?? {};
  if (begin !== undefined && (begin.epoch !== epoch || begin.leaseUntil !== before)) {
    throw leaseHadMeanwhile(runtimeId);
  }
  if (holder !== undefined) {
    // This happens before the lease moves. From here on the old holder writes nothing.
    if (!(yield* giveUp(holder, rolloutId, now, history))) return;
  }
  yield* update({
    key: leaseKey(runtimeId),
    set: {
      ...{ runtimeId, rolloutId, epoch: epoch + 1, leaseUntil },
      ...(owner.name !== '' && { owner: owner.name }),
      openAs: OPEN_AS.lease,
    },
    only:
      seen === null
        ? { epoch: 'absent' }
        : { epoch: { is: seen.epoch }, leaseUntil: { is: seen.leaseUntil } },
  });
}

/**
 * Closes the rollout that let its lease run out. If its request is not recorded yet, it keeps the rollout from ever
 * being recorded. `false`: the rollout was recorded or got more signals meanwhile, so the next pass has to look
 * again.
 */
function* giveUp(holder: string, takenBy: string, now: number, history?: Retention): Rule<boolean> {
  const record = yield* readRecord(holder);
  if (record === null) return yield* keepOut(holder);
  const takenOver = concludeTakenOver(record, takenBy);
  // When it has ended already, whoever closed it may have died before the rest.
  const ended = yield* storeOutcome(holder, takenOver, now, record.signals, history);
  const { outcome, endedAt } = ended;
  if (outcome === null || endedAt === undefined) return outcome !== null;
  const { request } = record;
  yield* heedEnd({ request, outcome, endedAt });
  yield* letExpire(holder, endedAt, request, history);
  return true;
}

/** One write: whoever has a lease has a plan, and waits for nothing more. What its gates have said before comes after it. */
function* recordRequest(
  request: RolloutRequest,
  epoch: number,
  now: number,
  begin?: Begin,
): Rule<void> {
  const { runtimeId, rolloutId } = request;
  const { news = [], ...progress } = begin?.progress ?? { news: [] };
  const isRecorded = yield* update({
    key: rolloutKey(rolloutId),
    set: {
      ...{ runtimeId, epoch, startedAt: now, request, opening: null },
      ...(begin !== undefined && { plan: begin.plan }),
      ...('wave' in progress && { progress }),
      ...{ wait: begin?.wait ?? null, listedWait: begin?.wait ?? null },
      ...{ understands: [...UNDERSTOOD], listedIn: LISTED_IN_ALL, openAs: null },
    },
    only: { epoch: 'absent', leaseLost: 'absent', outcome: 'absent' },
  });
  if (isRecorded) yield* addLines({ runtimeId, rolloutId, epoch }, news);
}

/**
 * Marks the rollout as one that lost its lease. Whoever opens it later finds the mark before taking anything. An
 * `open` that is just between its own read and write may still take the lease. Then the lease shows as held, and
 * burying the rollout once more gives it back.
 */
export function* bury(rolloutId: string): Rule<void> {
  if (!(yield* keepOut(rolloutId))) return;
  const lease = (yield* listHeld()).find((each) => each.rolloutId === rolloutId);
  if (lease !== undefined) yield* release(lease);
}

/** Makes sure that a rollout can no longer be recorded. `false`: its request is recorded already. */
function* keepOut(rolloutId: string): Rule<boolean> {
  const key = rolloutKey(rolloutId);
  return yield* update({ key, set: { leaseLost: 1 }, only: { request: 'absent' } });
}

/** Whether a rollout was opened and has not ended, and another process may take its lease over. */
export function* isAbandoned(owner: LeaseOwner, rolloutId: string, now: number): Rule<boolean> {
  const known = yield* get(rolloutKey(rolloutId), 'runtimeId', 'epoch', 'outcome');
  const { runtimeId, epoch, outcome } = known;
  if (runtimeId === undefined || epoch === undefined || outcome !== undefined) return false;
  const held = yield* findLease(runtimeId);
  return held?.rolloutId === rolloutId && !isHeld(held, now, owner);
}
