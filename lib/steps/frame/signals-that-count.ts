import { type Signal, wasOpened } from '../../domain/rollout/record.ts';
import { isAwaited } from '../../domain/rollout/waiting.ts';
import type { RecordPorts } from './ports.ts';
import { findRecord } from './record.ts';

/**
 * The signals of a rollout that count. A newer rollout may have asked this one to give way and then have gone: it was
 * taken back or refused, or nobody looks after it. Its signal does not count, because to give way to it would leave
 * the runtime between two versions.
 */
export async function signalsThatCount(
  signals: readonly Signal[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const counted: Signal[] = [];
  for (const signal of signals) {
    if (signal.kind !== 'give-way' || (await isWaiting(signal.by))) counted.push(signal);
  }
  return counted;

  async function isWaiting(rolloutId: string): Promise<boolean> {
    const asker = await findRecord(rolloutId, ledger);
    if (asker === null || asker.outcome !== null) return false;
    return (
      wasOpened(asker) || (asker.waiting !== null && isAwaited(asker.waiting.wakesAt, clock.now()))
    );
  }
}
