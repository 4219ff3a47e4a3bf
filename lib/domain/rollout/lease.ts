/** Clocks of two machines may differ by this much before a lease is taken over too early. */
export const LEASE_TOLERANCE_MS = 60_000;

/** How long a step may take, retries and a short wait after it included, before its rollout counts as dead. */
export const LEASE_MARGIN_MS = 300_000;

/** Waits up to this are covered by the margin. */
export const SHORT_WAIT_SECONDS = 60;

/** When a lease ends that is taken or renewed now: its rollout's next step is due by then, with a margin. */
export function leaseUntil(now: number, waitSeconds = 0): number {
  return now + waitSeconds * 1000 + LEASE_MARGIN_MS;
}

/** The right to write to a runtime's endpoints. A higher epoch has taken over from a lower one. */
export interface Lease {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly epoch: number;
}
