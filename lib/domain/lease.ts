/** Clocks of two machines may differ by this much before a lease is taken over too early. */
export const LEASE_TOLERANCE_MS = 60_000;

/**
 * How long a step may take, retries included, before its rollout counts as dead: the lease runs until
 * the next step is due plus this.
 */
export const LEASE_MARGIN_MS = 300_000;
