import type { Ms } from '../clock.ts';
import { BAKE_LOOK_SECONDS, type LookAgain, soonest } from '../look-again.ts';
import type { AheadWatch, AskedReading } from '../rollout/gates.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { isDeciding } from './gate-watch.ts';

// A wave may have to wait for gates before it begins. Nothing of it was written then, so one no is enough.

export function hearAhead(
  before: AheadWatch | undefined,
  readings: readonly AskedReading[],
  passedMs: Ms,
): AheadWatch {
  const { silentMs } = before ?? {};
  const isSilent = silentIn(readings).length > 0;
  return {
    kept: readings.flatMap(({ kept }) => kept ?? []),
    ...(isSilent && { silentMs: silentMs === undefined ? 0 : silentMs + passedMs }),
  };
}

/** Whether the wave may begin, or when to look again; or the answers because of which it does not begin any more. */
export type AheadVerdict =
  | 'go'
  | (LookAgain & {
      readonly waitsFor: 'check' | 'gate';
      readonly readings: readonly AskedReading[];
    })
  | { readonly reason: 'GateFailed' | 'GateUnknown'; readonly readings: readonly AskedReading[] };

/** A gate that is at work has its own deadline. Silence has the progress deadline. Then it ends the rollout as in a bake. */
export function judgeAhead(
  { silentMs = 0 }: AheadWatch,
  readings: readonly AskedReading[],
  { clock }: Pick<WaveProgress, 'clock'>,
  policy: RolloutPolicy,
): AheadVerdict {
  const unsaid = readings.filter((one) => isDeciding(one) && one.verdict !== 'pass');
  const noes = unsaid.filter(({ verdict }) => verdict === 'fail');
  if (noes.length > 0) return { reason: 'GateFailed', readings: noes };
  if (unsaid.length === 0) return 'go';
  const { pollSeconds, progressDeadlineSeconds } = policy;
  const silent = silentIn(readings);
  if (silent.length === 0) {
    const next = unsaid.map(({ kept }) => ((kept?.standsUntil ?? 0) - clock.watched) / 1000);
    const look = soonest(Math.max(pollSeconds, Math.min(...next)), BAKE_LOOK_SECONDS);
    return { ...look, waitsFor: 'check', readings: unsaid };
  }
  const leftSeconds = progressDeadlineSeconds - silentMs / 1000;
  if (leftSeconds > 0) {
    return { ...soonest(leftSeconds, pollSeconds), waitsFor: 'gate', readings: silent };
  }
  return { reason: 'GateUnknown', readings: silent };
}

function silentIn(readings: readonly AskedReading[]): readonly AskedReading[] {
  return readings.filter((one) => {
    return isDeciding(one) && one.verdict === 'unknown' && one.kept?.isAtWork !== true;
  });
}
