import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Waiting, waitedBy } from '../../domain/rollout/waiting.ts';
import type { RecordPorts } from '../frame/ports.ts';

/** What a rollout waits for that may not begin yet. */
interface Hindrance extends Pick<Waiting, 'for' | 'message' | 'until'> {
  /** Until it is looked at again: a whole number. */
  readonly seconds: number;
}

/** Records what a rollout waits for before it can begin, so that everybody can see it and nobody forgets it. */
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
