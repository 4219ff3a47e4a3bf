import type { Field, Fields } from '../contract/ledger/fields.ts';
import { OPEN_AS, OPEN_INDEX } from '../contract/ledger/table.ts';
import type { Hold } from '../domain/holds/hold.ts';
import { isLeaseOver, type Lease } from '../domain/rollout/lease.ts';
import type { HeldLease } from '../ports/ledger.ts';
import { type ItemCondition, isMet } from './condition.ts';
import { getWithHolds } from './holds.ts';
import { leaseKey, RUNTIME_KEY_PREFIX, rolloutKey } from './keys.ts';
import { leaseLost } from './refusals.ts';
import { find, get, type Rule, update } from './storage.ts';

/** A runtime's lease in its stored form. */
export interface StoredLease {
  /** Missing once the lease was given back. */
  readonly rolloutId?: string;
  readonly epoch: number;
  readonly leaseUntil: number;
  readonly owner?: string;
}

/** Whoever takes leases, in a storage that several processes share. */
export interface LeaseOwner {
  /** The name of this process. No other living process has it. Empty: whoever goes on with a rollout is its owner. */
  readonly name: string;
  /** Whether the process of this name is certainly gone. In doubt it is not. */
  isGone(name: string): boolean;
}

/** Whether others may not take the lease at `now`, in milliseconds since the Unix epoch. */
export function isHeld<L extends StoredLease>(
  lease: L | null,
  now: number,
  by: LeaseOwner,
): lease is L & { readonly rolloutId: string } {
  if (lease?.rolloutId === undefined) return false;
  const isGone = lease.owner !== undefined && by.isGone(lease.owner);
  return !isLeaseOver(lease.leaseUntil, now) && !isGone;
}

/** `null`: nobody has ever held it. */
export function* findLease(runtimeId: string): Rule<StoredLease | null> {
  const stored = yield* get(leaseKey(runtimeId), 'rolloutId', 'epoch', 'leaseUntil', 'owner');
  const { epoch, leaseUntil } = stored;
  return epoch === undefined || leaseUntil === undefined ? null : { ...stored, epoch, leaseUntil };
}

/** The condition under which a rollout may be written to by who holds its lease. */
export function isOpenWith({ epoch }: Lease) {
  return {
    epoch: { is: epoch },
    leaseLost: 'absent',
    outcome: 'absent',
  } as const satisfies ItemCondition;
}

/** Proves that the rollout is open and holds its lease. Answers fields of the rollout. Throws `LeaseLost`. */
export function* proveLease<F extends Field>(
  lease: Lease,
  ...fields: readonly F[]
): Rule<Partial<Pick<Fields, F>>> {
  const key = rolloutKey(lease.rolloutId);
  const rollout = yield* get<F | keyof ReturnType<typeof isOpenWith>>(
    key,
    ...(['epoch', 'leaseLost', 'outcome'] as const),
    ...fields,
  );
  if (!isMet(isOpenWith(lease), rollout)) throw leaseLost(lease.rolloutId);
  return rollout;
}

export function* renew(lease: Lease, leaseUntil: number, isProven = false): Rule<readonly Hold[]> {
  const { runtimeId, rolloutId, epoch } = lease;
  const holds = isProven ? [] : yield* proveAndHear(lease);
  const isRenewed = yield* update({
    key: leaseKey(runtimeId),
    set: { leaseUntil },
    only: { ...isLease(lease), leaseUntil: { below: leaseUntil } },
  });
  if (isRenewed) return holds;
  const held = yield* findLease(runtimeId);
  if (held?.rolloutId !== rolloutId || held.epoch !== epoch) throw leaseLost(rolloutId);
  return holds;
}

function* proveAndHear(lease: Lease): Rule<readonly Hold[]> {
  const [rollout, holds] = yield* getWithHolds(lease, 'epoch', 'leaseLost', 'outcome');
  if (!isMet(isOpenWith(lease), rollout)) throw leaseLost(lease.rolloutId);
  return holds;
}

/** Frees the runtime, unless another rollout holds its lease by now. The epoch stays. */
export function* release(lease: Lease): Rule<void> {
  yield* update({
    key: leaseKey(lease.runtimeId),
    set: { rolloutId: null, openAs: null },
    only: isLease(lease),
  });
}

function isLease({ rolloutId, epoch }: Lease) {
  return { rolloutId: { is: rolloutId }, epoch: { is: epoch } } as const satisfies ItemCondition;
}

export function* listHeld(): Rule<readonly HeldLease[]> {
  const leases = yield* find({
    index: OPEN_INDEX,
    value: OPEN_AS.lease,
    prefix: RUNTIME_KEY_PREFIX,
    fields: ['runtimeId', 'rolloutId', 'epoch', 'leaseUntil'],
  });
  return leases.flatMap(({ item: { runtimeId, rolloutId, epoch, leaseUntil } }) =>
    runtimeId === undefined || rolloutId === undefined || epoch === undefined
      ? []
      : [{ runtimeId, rolloutId, epoch, leaseUntil: leaseUntil ?? 0 }],
  );
}
