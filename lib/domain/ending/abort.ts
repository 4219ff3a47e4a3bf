import type { Ending } from '../rollout/outcome.ts';
import { findAbort, type Signal } from '../rollout/record.ts';

/** The ending of a rollout that a person has aborted. */
export function endByAbort({ by, reason }: Signal): Ending {
  return {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: `Aborted by ${by}${reason === '' ? '' : `: ${reason}`}.`,
  };
}

/**
 * The ending of a rollout that was about to end in another way. An abort that was accepted before the end makes the
 * outcome Aborted, and the other reason follows in the message. When an error kept the rollout from doing what the
 * abort asked for, it ends with that error.
 */
export function endingAfterAbort(ending: Ending, signals: readonly Signal[]): Ending {
  const abort = findAbort(signals);
  if (abort === undefined || ending.outcome === 'Aborted') return ending;
  const isLeftAsItIs = (abort.onFailure ?? 'hold') === 'hold';
  if (ending.outcome === 'Errored' && !isLeftAsItIs) return ending;
  const aborted = endByAbort(abort);
  return { ...aborted, message: `${aborted.message} ${ending.message}` };
}

/** Ends a rollout that has no plan yet, because a person has aborted it or a newer one waits for it. */
export function decideTakenBack(signals: readonly Signal[]): Ending | null {
  const abort = signals.findLast(({ kind }) => kind === 'abort');
  if (abort !== undefined) return takenBack(abort);
  const giveWay = signals.find(({ kind }) => kind === 'give-way');
  if (giveWay === undefined) return null;
  const message = `${giveWay.reason}. Nothing was rolled.`;
  return { outcome: 'Superseded', reason: 'GaveWay', message };
}

/** The ending of a rollout that a person takes back before it has rolled anything. */
export function takenBack({ by, reason }: Pick<Signal, 'by' | 'reason'>): Ending {
  const why = reason === '' ? '' : `: ${reason}`;
  return {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: `Aborted by ${by}${why}. Nothing was rolled.`,
  };
}
