import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Waiting, waitedBy } from '../../domain/rollout/waiting.ts';
import type { RecordPorts } from '../frame/ports.ts';

/** What keeps a rollout from beginning. */
interface Hindrance extends Pick<Waiting, 'for' | 'message' | 'until'> {
  /** Seconds until somebody looks at the rollout again: a whole number. */
  readonly seconds: number;
}

/** Records what a rollout waits for before it can begin. So everybody can see it, and nobody forgets the rollout. */
export async function waitToOpen(
  { request, waiting }: Pick<AskedRollout, 'request' | 'waiting'>,
  { for: wait, message, until, seconds }: Hindrance,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<{ readonly next: 'queue'; readonly seconds: number }> {
  const now = clock.now();
  const waited = waitedBy(waiting, now);
  const wakesAt = now + seconds * 1000;
  await ledger.saveWaiting(request, { for: wait, message, since: now, wakesAt, until, waited });
  return { next: 'queue', seconds };
}
