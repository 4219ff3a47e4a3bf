import { type Lease, leaseUntil } from '../../domain/rollout/lease.ts';
import type { RecordPorts } from './ports.ts';

/** How old the facts behind a write may be when it is sent: the proof of the lease, and the decision. */
const LONGEST_TRUST_MS = 10_000;

/** Whether `at` is recent enough, in milliseconds since the Unix epoch. After the clock went back it never is. */
export function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < LONGEST_TRUST_MS;
}

/**
 * Keeps a lease during writes that may take long, with pauses in which the process stood still. It must be called
 * just before each write. The service cannot refuse the write of a rollout that was taken over, so this check is the
 * only one.
 *
 * @param provenAt When the call began that proved the lease. Another rollout may have got it since then.
 * @throws `LeaseLost`
 */
export function keepLease(
  lease: Lease,
  provenAt: number,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): () => Promise<void> {
  let proof = provenAt;
  return async () => {
    for (let now = clock.now(); !isFresh(proof, now); now = clock.now()) {
      await ledger.renew(lease, leaseUntil(now));
      proof = now;
    }
  };
}
