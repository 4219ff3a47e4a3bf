import type { Ending } from '../decision.ts';
import type { Signal } from '../signal.ts';

/** Ends a rollout that has no plan yet, because a person has aborted it or a newer one waits for it. */
export function decideTakenBack(signals: readonly Signal[]): Ending | null {
  const abort = signals.findLast(({ kind }) => kind === 'abort');
  if (abort !== undefined) return takenBack(abort);
  const giveWay = signals.find(({ kind }) => kind === 'give-way');
  if (giveWay === undefined) return null;
  const message = `${giveWay.reason}. Nothing was rolled.`;
  return { outcome: 'Superseded', reason: 'GaveWay', message };
}

/** How a rollout ends that a person takes back before it has rolled anything. */
export function takenBack({ by, reason }: Pick<Signal, 'by' | 'reason'>): Ending {
  const why = reason === '' ? '' : `: ${reason}`;
  return {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: `Aborted by ${by}${why}. Nothing was rolled.`,
  };
}
