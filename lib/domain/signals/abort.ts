import { CONTAINMENTS } from '../containment/failure-policies.ts';
import { legOf } from '../endpoint/leg.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { Signal } from '../rollout/record.ts';
import { type SignalKind, senderOf, whyOf } from './signal-kind.ts';

/**
 * A person ends the rollout. The endpoints that were rolled stay as they are, unless the person asks for more. A
 * rollback goes on only when the abort asks for one; otherwise endpoints that are not back yet stay as they are. In a
 * rollback nothing is ever stopped, so there an abort with `stop-old` does the same as one with `hold`.
 */
export const ABORT = {
  kind: 'abort',
  limit: {
    mayWrite(operation, signals) {
      const abort = findAbort(signals);
      return abort && operation === CONTAINMENTS[abort.onFailure ?? 'hold'].write;
    },
    callOff: 'aborted',
  },
  decide({ record, plan }) {
    const abort = findAbort(record.signals);
    if (abort === undefined) return undefined;
    const { onFailure = 'hold' } = abort;
    if (legOf(plan).after === 'contain') {
      return { next: 'contain', ending: endByAbort(abort), onFailure };
    }
    const goesBack = CONTAINMENTS[onFailure].write === 'roll-back';
    return goesBack ? undefined : { next: 'close', ending: null };
  },
  endEarly(signals) {
    const abort = findAbort(signals);
    return abort && endByAbort(abort);
  },
  /**
   * An abort that was accepted before the end makes the outcome Aborted, and the other reason follows in the message.
   * When an error kept the rollout from doing what the abort asked for, it ends with that error.
   */
  endLate(ending, { signals }) {
    const abort = findAbort(signals);
    if (abort === undefined || ending.outcome === 'Aborted') return ending;
    const isLeftAsItIs = CONTAINMENTS[abort.onFailure ?? 'hold'].write === null;
    if (ending.outcome === 'Errored' && !isLeftAsItIs) return ending;
    const aborted = endByAbort(abort);
    return { ...aborted, message: `${aborted.message} ${ending.message}` };
  },
  describe: (signal) =>
    `${senderOf(signal)} asked to abort${CONTAINMENTS[signal.onFailure ?? 'hold'].request}${whyOf(signal)}`,
  command: {
    description: 'End a rollout at its next step.',
    help: `
It ends at its next look at the list. From now on no write begins except those
that --on-abort asks for; writes in flight are finished. A rollout that has not
begun is ended at once.

What happens to the endpoints that it rolled, with --on-abort:
  hold       every endpoint stays as it is
  roll-back  they go back to their previous versions
  stop-old   those that are not live on the version are stopped; no undo

If it is stopping endpoints already, the remaining ones are not stopped, except
with stop-old. If it is rolling back already, that ends, except with roll-back.

Examples:
  steproll rollout abort ID
  steproll rollout abort ID \\
    --on-abort roll-back --reason 'errors in checkout'
  steproll rollout abort ID --engine aws --yes`,
    policy: {
      option: '--on-abort',
      help: 'what happens to the endpoints that it rolled; default hold',
      otherwise: 'hold',
    },
    consequence: ({ halt, consequence }) => `The rollout ends. ${halt}, and ${consequence}.`,
    sent: (_, { halt, consequence }) => `Asked to abort. ${halt}, and ${consequence}.`,
  },
} satisfies SignalKind;

/** The abort that decides. Of several aborts the last one does, because whoever sends another one means it. */
export function findAbort(signals: readonly Signal[]): Signal | undefined {
  return signals.findLast(({ kind }) => kind === ABORT.kind);
}

export function countAborts(signals: readonly Signal[]): number {
  return signals.filter(({ kind }) => kind === ABORT.kind).length;
}

export function endByAbort({ by, reason }: Pick<Signal, 'by' | 'reason'>): Ending {
  return {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: `Aborted by ${by}${whyOf({ reason })}.`,
  };
}
