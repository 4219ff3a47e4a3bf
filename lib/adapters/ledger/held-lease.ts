import * as z from 'zod';
import { LEASE_TOLERANCE_MS } from '../../domain/rollout/lease.ts';
import type { HeldLease } from '../../ports/ledger.ts';

/** A runtime's lease in its stored form. */
export interface StoredLease {
  /** `null` once the lease was given back. */
  readonly rolloutId: string | null;
  /** The epoch stays when the lease is given back, so that no epoch is used twice. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. */
  readonly leaseUntil: number;
}

/** Whether another rollout may not take the lease at `now`, in milliseconds since the Unix epoch. */
export function isHeld<Lease extends StoredLease>(
  lease: Lease | null,
  now: number,
): lease is Lease & { readonly rolloutId: string } {
  return lease !== null && lease.rolloutId !== null && now < lease.leaseUntil + LEASE_TOLERANCE_MS;
}

/** The leases that a storage lists as not given back. */
export const heldLeases: z.ZodType<readonly HeldLease[]> = z.array(
  z.object({
    runtimeId: z.string(),
    rolloutId: z.string(),
    epoch: z.number(),
    leaseUntil: z.number(),
  }),
);
