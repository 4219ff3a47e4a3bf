import type { Ledger } from '../../../lib/ports/ledger.ts';
import { openCountedLedger } from './open-counted-ledger.ts';
import { simulateRollout } from './simulate-rollout.ts';

interface CloseUnits {
  readonly endpoints: number;
  readonly read: number;
  readonly write: number;
}

/**
 * The units of the ledger that the close of a rollout takes, with the default policy.
 *
 * @param historyDays @default - the table keeps rollouts for ever
 */
export async function countClose(
  endpoints: number,
  rollSeconds: number,
  historyDays?: number,
): Promise<CloseUnits> {
  const units = { read: 0, write: 0 };
  let isClosing = false;
  const nowhere = { read: 0, write: 0 };
  const { ledger, end } = await openCountedLedger(() => (isClosing ? units : nowhere), historyDays);
  const close: Ledger['close'] = async (...args) => {
    isClosing = true;
    return ledger.close(...args).finally(() => {
      isClosing = false;
    });
  };
  try {
    await simulateRollout(endpoints, rollSeconds, { ...ledger, close });
    return { endpoints, ...units };
  } finally {
    end();
  }
}
