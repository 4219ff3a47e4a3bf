import { waveEventIdOf } from '../rollout/event.ts';
import type { RolloutRecord, Signal, WaveProgress } from '../rollout/record.ts';
import { type Look, type SignalKind, senderOf, type Told, waveOf, whyOf } from './signal-kind.ts';

export const REJECT = {
  kind: 'reject',
  answer: 'fail',
  /** It counts whatever the wave shows meanwhile, but not before somebody was asked, and not without a list. */
  decide(look) {
    const { record, progress } = look;
    const isHeard = progress.unreadableMs === null && isApprovalAsked(record, progress);
    return isHeard ? failByRejection(look) : undefined;
  },
  describe: (signal) => `${senderOf(signal)} rejected ${waveOf(signal)}${whyOf(signal)}`,
  command: {
    description: 'Reject the wave that waits, so that the rollout fails.',
    help: `
The rollout's policy says what happens to the endpoints that it rolled, unless
--on-failure does: stop-old, roll-back or hold.

Examples:
  steproll rollout reject ID \\
    --reason 'too slow'
  steproll rollout reject ID --wave 1 \\
    --on-failure roll-back`,
    policy: { option: '--on-failure', help: 'default: as in its policy' },
    consequence: ({ consequence }) => `The rollout fails, and ${consequence}.`,
    sent: (signal, { consequence }) =>
      `Rejected ${waveOf(signal)}. The rollout fails, and ${consequence}.`,
  },
} satisfies SignalKind;

/** The rejection of a 0-based wave that decides: the first one. */
export function findRejection(
  signals: readonly Signal[],
  wave: number | null | undefined,
): Signal | undefined {
  return signals.find((signal) => signal.kind === REJECT.kind && signal.wave === wave);
}

/** How a rollout fails whose wave was rejected. `undefined`: it was not. */
export function failByRejection({ record, plan, progress }: Look): Told | undefined {
  const rejection = findRejection(record.signals, progress.wave);
  if (rejection === undefined) return undefined;
  const { by, onFailure } = rejection;
  const where = `Wave ${progress.wave + 1} of ${plan.waves.length}`;
  const message = `${where} was rejected by ${by}${whyOf(rejection)}.`;
  return {
    next: 'contain',
    ending: { outcome: 'Failed', failure: 'bad', reason: 'Rejected', message },
    onFailure,
  };
}

/** A look that died before it asked has not asked anybody. */
export function isApprovalAsked(
  { request, events }: Pick<RolloutRecord, 'request' | 'events'>,
  { direction, wave }: Pick<WaveProgress, 'direction' | 'wave'>,
): boolean {
  const asked = waveEventIdOf(request.rolloutId, 'approval-wanted', direction, wave + 1);
  return events.some(({ eventId }) => eventId === asked);
}
