import { type Signal, wasOpened } from '../../domain/rollout/record.ts';
import { isAwaited } from '../../domain/rollout/waiting.ts';
import type { RecordPorts } from './ports.ts';
import { findRecord } from './record.ts';

/**
 * What was said to a rollout, without the newer rollouts that asked it to give way and are gone since: taken
 * back, refused, or looked after by nobody. Whoever gave way to them would leave the runtime between two versions.
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
