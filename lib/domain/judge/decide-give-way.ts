import type { Decision } from '../decision.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';

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
  return {
    next: 'close',
    ending: { outcome: 'Superseded', reason: 'GaveWay', message: `${signal.reason}.` },
  };
}
