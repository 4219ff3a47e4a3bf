import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import type { Lease } from '../domain/rollout.ts';
import type { RecordPorts } from './step-ports.ts';

/** How old the proof of a lease may be when a write is sent. */
const LONGEST_TRUST_MS = 10_000;

/**
 * Keeps a lease that was proven just now, through writes that may take long: to be called before each of
 * them. The service cannot refuse the write of a rollout that was taken over, so nobody else does.
 *
 * @throws `LeaseLost`
 */
export function keepLease(
  lease: Lease,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): () => Promise<void> {
  let provenAt = clock.now();
  return async () => {
    const now = clock.now();
    if (now - provenAt < LONGEST_TRUST_MS && now >= provenAt) return;
    await ledger.renew(lease, now + LEASE_MARGIN_MS);
    provenAt = now;
  };
}
