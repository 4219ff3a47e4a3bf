import { rollSecondsOf } from '../../domain/plan/estimate-rollout.ts';
import { wasOpened } from '../../domain/rollout.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** Newest rollouts of the runtime that are looked through. */
const LOOKED_THROUGH = 20;

/** Of them, successful ones that are learned from. */
const LEARNED_FROM = 5;

/** Seconds that a roll took in this runtime's past rollouts, the newest first. */
export async function readPastRolls(
  runtimeId: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<readonly number[]> {
  const past = await ledger.list({ runtimeId, limit: LOOKED_THROUGH });
  const rolls: number[] = [];
  for (const { rolloutId, outcome } of past) {
    if (rolls.length === LEARNED_FROM) break;
    if (outcome?.outcome !== 'Succeeded') continue;
    const record = await ledger.read(rolloutId);
    const seconds = wasOpened(record) ? rollSecondsOf(record) : null;
    if (seconds !== null) rolls.push(seconds);
  }
  return rolls;
}
