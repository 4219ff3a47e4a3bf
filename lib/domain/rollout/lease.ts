/** The clocks of two machines may differ by this much before a lease is taken over too early. */
export const LEASE_TOLERANCE_MS = 60_000;

/**
 * How long a step may take, with its retries after a crash and a short wait after it. After that its rollout counts as dead,
 * and a newer one may take the runtime: also when the step still waits for a function that is throttled. It then finds
 * its lease gone and writes nothing. While the ledger is away, nobody can take a lease.
 */
export const LEASE_MARGIN_MS = 300_000;

/** The margin covers waits up to this length. */
export const SHORT_WAIT_SECONDS = 60;

/** The end of a lease that is taken or renewed now. The rollout's next step is due before it, with a margin. */
export function leaseUntil(now: number, waitSeconds = 0): number {
  return now + waitSeconds * 1000 + LEASE_MARGIN_MS;
}

/** Whether others may take a lease that ends then: its end has passed on every clock. */
export function isLeaseOver(leaseUntil: number, now: number): boolean {
  return now >= leaseUntil + LEASE_TOLERANCE_MS;
}

/** How old the facts behind a write may be when it is sent: the proof of the lease, and the decision. */
const LONGEST_TRUST_MS = 10_000;

/** Whether `at` is recent enough, in milliseconds since the Unix epoch. After the clock went back it never is. */
export function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < LONGEST_TRUST_MS;
}

/** The right to write to a runtime's endpoints. A lease with a higher epoch has replaced all with a lower one. */
export interface Lease {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly epoch: number;
}
