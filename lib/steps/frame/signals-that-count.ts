import type { Signal } from '../../domain/rollout/record.ts';
import { kindOf } from '../../domain/signals/signals.ts';
import type { RecordPorts } from './ports.ts';
import { findRecord } from './record.ts';

/** The signals of a rollout that count. Of some kinds that depends on how their sender stands now. */
export async function signalsThatCount(
  signals: readonly Signal[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const counted: Signal[] = [];
  for (const signal of signals) {
    const { counts } = kindOf(signal);
    if (!counts || counts(await findRecord(signal.by, ledger), clock.now())) counted.push(signal);
  }
  return counted;
}
