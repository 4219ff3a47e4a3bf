import type { Ms } from '../../domain/clock.ts';
import { pastRollsOf } from '../../domain/planning/estimate.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** How many of the runtime's newest rollouts are looked through. */
const LOOKED_THROUGH = 20;

/** How long rolls took in past rollouts of this runtime, the newest first. */
export async function readPastRolls(
  runtimeId: string,
  ledger: Pick<Ledger, 'list'>,
): Promise<readonly Ms[]> {
  return pastRollsOf(await ledger.list({ runtimeId, limit: LOOKED_THROUGH, hasRolled: true }));
}
