import type { CallOff } from '../contain/decide-stop.ts';
import type { Decision, Ending } from '../decision.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import type { Signal } from '../signal.ts';

/**
 * Ends a rollout that a newer one waits for: what was rolled stays as it is, the newer one takes it on. A
 * way back is gone to its end.
 */
export function decideGiveWay(
  { signals }: Pick<RolloutRecord, 'signals'>,
  { direction }: Pick<RolloutPlan, 'direction'>,
): Decision | undefined {
  const signal = signals.find(({ kind }) => kind === 'give-way');
  if (signal === undefined || direction === 'back') return undefined;
  return { next: 'close', ending: endByGivingWay(signal) };
}

function endByGivingWay({ reason }: Signal): Ending {
  return { outcome: 'Superseded', reason: 'GaveWay', message: `${reason}.` };
}

/**
 * The ending of a rollout that had failed when it was asked to give way, and called stops off for it: the newer
 * one has the runtime now, and why this one had failed is told behind.
 */
export function heedGiveWay(
  ending: Ending,
  { signals, journal }: Pick<RolloutRecord, 'signals' | 'journal'>,
): Ending {
  const hasCalledOff = journal.some(
    ({ result, reason }) => result === 'kept' && reason === ('gave-way' satisfies CallOff),
  );
  const signal = signals.findLast(({ kind }) => kind === 'give-way');
  if (ending.outcome !== 'Failed' || !hasCalledOff || signal === undefined) return ending;
  const gaveWay = endByGivingWay(signal);
  return { ...gaveWay, message: `${gaveWay.message} ${ending.message}` };
}
