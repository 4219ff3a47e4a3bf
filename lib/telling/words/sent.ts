import type { Instant } from '../../domain/clock.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import { clockTime } from '../../domain/local-time.ts';
import type { AskedRollout, Signal } from '../../domain/rollout/record.ts';
import { ABORT, findAbort } from '../../domain/signals/abort.ts';
import { APPROVE, findRejection } from '../../domain/signals/approval.ts';
import { waveOf } from '../../domain/signals/signal-kind.ts';
import { kindOf } from '../../domain/signals/signals.ts';

/**
 * What follows from a signal that was sent just now. Several people may say something at once, and then one of them
 * decides.
 *
 * @param signals All of the rollout, this one among them.
 * @param missing How many people more have to say yes. @default - nobody
 */
export function describeSent(
  sent: Signal,
  signals: readonly Signal[],
  plan: AskedRollout['plan'],
  missing = 0,
): string {
  const abort = findAbort(signals);
  const deciding = abort ?? findRejection(signals, sent.wave) ?? sent;
  if (!isSame(deciding, sent)) {
    return `This was written down and does not count, because ${describe(deciding)}. ${WHAT_COUNTS}`;
  }
  if (sent.kind === APPROVE.kind && missing > 0) {
    const people = missing === 1 ? 'One person more has' : `${missing} people more have`;
    return `Approved ${waveOf(sent)}. ${people} to approve it.`;
  }
  const earlier = signals.filter(({ kind }) => kind === ABORT.kind).at(-2);
  const others =
    deciding !== abort || earlier === undefined
      ? ''
      : ` Before, ${describe(earlier)}. ${WHAT_COUNTS}`;
  const containment = containmentOf(sent.onFailure ?? 'hold', plan);
  return `${kindOf(sent).command?.sent(sent, containment)}${others}`;
}

/** Without a date: it is minutes away at most. */
export function describeHeardBy(heardBy: Instant): string {
  return `The rollout hears that by ${clockTime(heardBy)}.`;
}

function describe(signal: Signal): string {
  return kindOf(signal).describe(signal);
}

function isSame(one: Signal, other: Signal): boolean {
  const keys = ['kind', 'at', 'wave', 'onFailure', 'by', 'reason'] as const;
  return keys.every((key) => one[key] === other[key]);
}

/** Which of several signals decides. */
export const WHAT_COUNTS =
  'Of several aborts the last one counts, and more than any answer to a wave; of several answers the first rejection.';
