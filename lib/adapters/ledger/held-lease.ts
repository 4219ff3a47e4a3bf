import { LEASE_TOLERANCE_MS } from '../../domain/lease.ts';

/** A runtime's lease as it is stored. */
export interface HeldLease {
  /** `null` once the lease was given back. */
  readonly rolloutId: string | null;
  /** Stays when the lease is given back, so that no epoch is used twice. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. */
  readonly leaseUntil: number;
}

/** Whether another rollout has to keep its hands off at `now`, milliseconds since the Unix epoch. */
export function isHeld(
  lease: HeldLease | null,
  now: number,
): lease is HeldLease & { readonly rolloutId: string } {
  return lease !== null && lease.rolloutId !== null && now < lease.leaseUntil + LEASE_TOLERANCE_MS;
}
