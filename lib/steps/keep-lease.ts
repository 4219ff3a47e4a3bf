import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import type { Lease } from '../domain/rollout.ts';
import type { RecordPorts } from './step-ports.ts';

/** How old what a write rests on may be when it is sent: the proof of the lease, and what was decided. */
const LONGEST_TRUST_MS = 10_000;

/** Milliseconds since the Unix epoch. A clock that went back says nothing. */
export function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < LONGEST_TRUST_MS;
}

/**
 * Keeps a lease through writes that may take long, with pauses in which the process stood still: to be called
 * just before each of them. The service cannot refuse the write of a rollout that was taken over, so nobody
 * else does.
 *
 * @param provenAt When the call began that has proven the lease: another rollout may have it since.
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
      await ledger.renew(lease, now + LEASE_MARGIN_MS);
      proof = now;
    }
  };
}
