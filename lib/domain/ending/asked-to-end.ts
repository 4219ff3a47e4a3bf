import type { CallOff } from '../containment/decide-stop.ts';
import type { Ending } from '../rollout/outcome.ts';
import { findAbort, type RolloutRecord, type Signal } from '../rollout/record.ts';
import type { LatestRequest } from '../turn/queue.ts';

// These are the endings of rollouts that somebody else ends: a person aborts them, or a newer rollout takes their
// place.

/** The ending of a rollout that a person has aborted. */
export function endByAbort({ by, reason }: Pick<Signal, 'by' | 'reason'>): Ending {
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

export function endByGivingWay({ reason }: Signal): Ending {
  return { outcome: 'Superseded', reason: 'GaveWay', message: `${reason}.` };
}

/**
 * The ending of a rollout that had failed and then called off its stops because it was asked to give way. The newer
 * rollout has the runtime now, so that is the outcome, and the reason of the failure follows in the message.
 */
export function endingAfterGiveWay(
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

/** Ends a rollout that has no plan yet, because a person has aborted it or a newer one waits for it. */
export function decideTakenBack(signals: readonly Signal[]): Ending | null {
  const abort = findAbort(signals);
  if (abort !== undefined) return takenBack(abort);
  const giveWay = signals.find(({ kind }) => kind === 'give-way');
  return giveWay === undefined ? null : withNothingRolled(endByGivingWay(giveWay));
}

/** The ending of a rollout that a person takes back before it has rolled anything. */
export function takenBack(abort: Pick<Signal, 'by' | 'reason'>): Ending {
  return withNothingRolled(endByAbort(abort));
}

function withNothingRolled(ending: Ending): Ending {
  return { ...ending, message: `${ending.message} Nothing was rolled.` };
}

/** The ending of a rollout that waited while a newer one was asked for. */
export function endOvertaken(newest: LatestRequest): Ending {
  return {
    outcome: 'Superseded',
    reason: 'Overtaken',
    message: `Nothing was rolled: ${describeNewer(newest)}.`,
  };
}

/** `"rollout-2", to version 7, is the newer rollout of this runtime`. */
export function describeNewer({
  rolloutId,
  desiredVersion,
}: Pick<LatestRequest, 'rolloutId' | 'desiredVersion'>): string {
  return `${JSON.stringify(rolloutId)}, to version ${desiredVersion}, is the newer rollout of this runtime`;
}

/** The ending of a rollout whose process was told to end, with Ctrl-C for example. */
export function endInterrupted(isPlanned: boolean): Ending {
  const what = isPlanned ? 'endpoints in mid-roll go on by themselves' : 'nothing was rolled';
  return { outcome: 'Aborted', reason: 'Interrupted', message: `Interrupted: ${what}.` };
}
