import { type LookAgain, soonest } from '../look-again.ts';
import type { AskedReading } from '../rollout/gates.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { BAKE_LOOK_SECONDS } from './bake.ts';
import { isDeciding } from './gate-watch.ts';

// A gate that is at work on its answer prolongs the bake.

/**
 * When to look again at a wave that has baked, because nothing but gates that are at work on their answers keeps it from
 * going on. `null`: something else does, or nothing.
 */
export function waitForWork(
  { watch, clock }: Pick<WaveProgress, 'watch' | 'clock'>,
  readings: readonly AskedReading[],
  { pollSeconds }: Pick<RolloutPolicy, 'pollSeconds'>,
): LookAgain | null {
  const unsaid = readings.filter(({ verdict }) => verdict !== 'pass');
  if (unsaid.length === 0 || !unsaid.every(({ kept }) => kept?.isAtWork)) return null;
  const next = unsaid.map(({ kept }) => ((kept?.standsUntil ?? 0) - clock.watched) / 1000);
  const gates = Math.max(0, ((watch?.dueAt ?? 0) - clock.watched) / 1000);
  return soonest(Math.max(pollSeconds, Math.min(...next, gates)), BAKE_LOOK_SECONDS);
}

export function isGateAtWork({ watch }: Pick<WaveProgress, 'watch'>): boolean {
  return watch?.kept?.some((one) => one.isAtWork && isDeciding(one)) === true;
}
