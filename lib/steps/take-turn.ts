import type { Ending } from '../domain/decision.ts';
import { SteprollError } from '../domain/errors.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import { decideWindow } from '../domain/window/decide-window.ts';
import type { RecordPorts } from './step-ports.ts';

/** Whether it is a rollout's turn, as far as windows and newer rollouts go. */
export type Turn =
  | { readonly next: 'open' }
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'close'; readonly ending: Ending };

/**
 * Whether a rollout that was not opened yet may be opened now. Of those that wait the newest one alone is
 * ever opened, whichever wakes first.
 *
 * @throws `OutsideWindow`
 */
export async function takeTurn(
  request: RolloutRequest,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<Turn> {
  const { rolloutId, runtimeId, desiredVersion, policy, startedBy } = request;
  const now = clock.now();
  const window = decideWindow(policy, now);
  if (window.decision === 'refuse') throw new SteprollError(window.error, window.message);
  if (mayHaveToWait(policy)) {
    const newest = await ledger.queue({ runtimeId, rolloutId, desiredVersion, at: startedBy.at });
    if (newest.rolloutId !== rolloutId) return { next: 'close', ending: overtakenBy(newest) };
  }
  return window.decision === 'wait'
    ? { next: 'queue', seconds: Math.ceil((window.until - now) / 1000) }
    : { next: 'open' };
}

function mayHaveToWait({ onConflict, outsideWindow, windows, freezes }: RolloutPolicy): boolean {
  const hasHours = windows.length > 0 || freezes.length > 0;
  return onConflict === 'latest' || (outsideWindow === 'wait' && hasHours);
}

function overtakenBy({
  rolloutId,
  desiredVersion,
}: {
  rolloutId: string;
  desiredVersion: number;
}): Ending {
  return {
    outcome: 'Superseded',
    reason: 'Overtaken',
    message: `Nothing was rolled: ${JSON.stringify(rolloutId)}, to version ${desiredVersion}, is the newer rollout of this runtime.`,
  };
}
