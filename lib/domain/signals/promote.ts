import { type GateLook, listReadings, unansweredIn } from '../rollout/gates.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRecord, Signal, WaveProgress } from '../rollout/record.ts';
import { type SignalKind, senderOf, waveOf, whyOf } from './signal-kind.ts';

/** A person ends the bake of a wave early. It answers no gate: only their silence does not hold the wave any more. */
export const PROMOTE = {
  kind: 'promote',
  endsBake: true,
  describe: (signal) => `${senderOf(signal)} promoted ${promotedOf(signal)}${whyOf(signal)}`,
  command: {
    description: 'End the bake of a wave early.',
    help: `
The gates are asked once more at once. A gate that fails twice still fails the
rollout. A gate that gives no answer does not hold the wave any more: the story
names it. An approval that the policy asks for is still awaited, and so are a
warm-up and the checks before the next wave. With --wave you promote only the
wave that you have looked at.

Examples:
  steproll rollout promote ID \\
    --reason 'hotfix for the login'
  steproll rollout promote ID --wave 1
  steproll rollout promote ID --full`,
    consequence: () =>
      'The bake of the wave ends. The gates are asked once more, and a failing one still counts.',
    sent: (signal) =>
      `Promoted ${promotedOf(signal)}. The gates are asked once more, and a failing one still counts.`,
  },
} satisfies SignalKind;

function promotedOf(signal: Signal): string {
  return `${waveOf(signal)}${signal.isFull ? ' and all that follow' : ''}`;
}

/** Whether a person has ended the bake of this 0-based wave, or of all from an earlier one on. */
export function isPromoted(signals: readonly Signal[], wave: number): boolean {
  return signals.some((signal) => {
    if (signal.kind !== PROMOTE.kind || signal.wave === null) return false;
    return signal.wave === wave || (signal.isFull === true && signal.wave < wave);
  });
}

/** How a 0-based wave bakes that was promoted: for its warm-up, because no gate is believed before. */
export function promotionOf({ verify }: RolloutPolicy, signals: readonly Signal[], wave: number) {
  return isPromoted(signals, wave) ? { bakeSeconds: verify.warmUpSeconds ?? 0 } : undefined;
}

/** The progress after a look at the signals. */
export function hearPromotion({
  request,
  signals,
  progress,
}: Pick<RolloutRecord, 'request' | 'signals' | 'progress'>): WaveProgress | null {
  if (progress === null || progress.direction === 'back') return progress;
  const promoted = promotionOf(request.policy, signals, progress.wave);
  return promoted === undefined ? progress : { ...progress, promoted };
}

/** What had not answered when a 0-based wave went on that was promoted, in a sentence with a space before it. */
export function describePromoted(wave: number, look: GateLook | undefined): string {
  const silent = unansweredIn(look);
  if (silent.length === 0) return '';
  return ` Wave ${wave + 1} was promoted without these answers: ${listReadings(silent)}.`;
}
