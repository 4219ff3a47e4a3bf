import type { Ending } from '../domain/decision.ts';
import { SteprollError } from '../domain/errors.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import { counts, isNewer, wishOf } from '../domain/turn/is-newer.ts';
import type { NewestWish } from '../domain/turn/newest-wish.ts';
import { queueSeconds } from '../domain/turn/queue-seconds.ts';
import { decideWindow } from '../domain/window/decide-window.ts';
import type { RecordPorts } from './step-ports.ts';
import { waitForTurn } from './wait-for-turn.ts';

/** Whether it is a rollout's turn, as far as windows and newer wishes go. */
export type Turn =
  | { readonly next: 'open' }
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'close'; readonly ending: Ending };

/**
 * Whether a rollout that was not opened yet may be opened now. Of those that wait the newest one alone is
 * ever opened, whichever wakes first, and none comes after a newer one that was opened meanwhile.
 *
 * @throws `OutsideWindow`
 */
export async function takeTurn(
  request: RolloutRequest,
  newest: NewestWish | null,
  ports: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<Turn> {
  const now = ports.clock.now();
  const window = decideWindow(request.policy, now);
  if (window.decision === 'refuse') throw new SteprollError(window.error, window.message);
  if (newest !== null && isOvertakenBy(newest, request, now)) {
    // One that should be awake by now is on its way, or it is gone: the next look tells.
    const isAwake = newest.wakesAt !== null && now >= newest.wakesAt;
    return isAwake
      ? { next: 'queue', seconds: queueSeconds(0) }
      : { next: 'close', ending: overtakenBy(newest) };
  }
  if (window.decision === 'go') return { next: 'open' };
  const seconds = Math.ceil((window.until - now) / 1000);
  return waitForTurn(request, newest, seconds, ports);
}

function isOvertakenBy(newest: NewestWish, request: RolloutRequest, now: number): boolean {
  const isOther = newest.rolloutId !== request.rolloutId;
  return isOther && counts(newest, now) && isNewer(newest, wishOf(request));
}

function overtakenBy({ rolloutId, desiredVersion }: NewestWish): Ending {
  return {
    outcome: 'Superseded',
    reason: 'Overtaken',
    message: `Nothing was rolled: ${JSON.stringify(rolloutId)}, to version ${desiredVersion}, is the newer rollout of this runtime.`,
  };
}
