import { containmentOf } from '../../domain/containment/failure-policies.ts';
import { type AskedRollout, findAbort, type Signal } from '../../domain/rollout/record.ts';
import { describeSignal } from './happening.ts';

/**
 * What follows from a signal that was sent just now. Several people may say something at once, and then one of them
 * decides.
 *
 * @param signals All of the rollout, this one among them.
 */
export function describeSent(
  sent: Signal,
  signals: readonly Signal[],
  plan: AskedRollout['plan'],
): string {
  const abort = findAbort(signals);
  const rejection = signals.find(({ kind, wave }) => kind === 'reject' && wave === sent.wave);
  const deciding = abort ?? rejection ?? sent;
  if (!isSame(deciding, sent)) {
    return `This was written down and does not count, because ${describeSignal(deciding)}. ${WHAT_COUNTS}`;
  }
  const earlier = signals.filter(({ kind }) => kind === 'abort').at(-2);
  const others =
    deciding !== abort || earlier === undefined
      ? ''
      : ` Before, ${describeSignal(earlier)}. ${WHAT_COUNTS}`;
  return `${describeConsequence(sent, plan)}${others}`;
}

function isSame(one: Signal, other: Signal): boolean {
  const keys = ['kind', 'at', 'wave', 'onFailure', 'by', 'reason'] as const;
  return keys.every((key) => one[key] === other[key]);
}

/** Which of several signals decides. */
export const WHAT_COUNTS =
  'Of several aborts the last one counts, and more than any answer to a wave; of several answers the first rejection.';

function describeConsequence(
  { kind, wave, onFailure }: Signal,
  plan: AskedRollout['plan'],
): string {
  const { halt, consequence } = containmentOf(onFailure ?? 'hold', plan);
  const named = `wave ${(wave ?? 0) + 1}`;
  switch (kind) {
    case 'approve':
      return `Approved ${named}. The next one follows.`;
    case 'reject':
      return `Rejected ${named}. The rollout fails, and ${consequence}.`;
    default:
      return `Asked to abort. ${halt}, and ${consequence}.`;
  }
}
