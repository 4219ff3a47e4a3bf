import { type Attempts, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import {
  hasConverged,
  isLostForGood,
  isSeenInMidRoll,
  isShownConverged,
  isUnproven,
  isUntold,
  needsTime,
  type Observation,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import { isUnsure } from '../endpoint/rolls.ts';
import type { Hearing } from '../rollout/hearing.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';

interface HeardOf {
  /** Those that count: without losses that are tolerated. */
  readonly observations: readonly (Observation & { readonly index: number })[];
  readonly before: readonly Observation[];
  /** What was sent to each endpoint of the plan. */
  readonly histories: readonly Attempts[];
}

/** What the list says of a wave. What is on its way, or lost, decides; silence counts only where nothing else is heard. */
export function hearEndpoints({ observations, before, histories }: HeardOf): Hearing {
  const open = observations.filter((one) => !hasConverged(one));
  if (open.length === 0) return 'well';
  // Only where it is all that is missing: of lists that change what they tell in turn, some part always agrees.
  const isProof = (one: Observation & { readonly index: number }) => {
    const { state, reads = 0 } = before[one.index] ?? {};
    const isSent = one.state === 'requested' && isUnsure(histories[one.index] ?? NO_ATTEMPTS);
    const isAwaited = (isSent && reads < REGISTERING_READS) || isUnproven(one);
    const doesAgree = state === one.state && (isAwaited || needsTime(one));
    return doesAgree || isShownConverged(one);
  };
  const rolled = open.filter(({ state }) => state !== 'pending');
  if (rolled.length > 0 && rolled.every(isProof)) return 'proof';
  const isAnyHeard = open.some((one) => isLostForGood(one) || isSeenInMidRoll(one));
  return !isAnyHeard && open.some(isUntold) ? 'silence' : 'work';
}

/** The gates of a wave that has baked, once they were asked. @param isSaid Whether all that count have said yes. */
export function hearGatesOf(
  { watch }: Pick<WaveProgress, 'watch'>,
  isSaid: boolean,
): Partial<Pick<WaveProgress, 'watch'>> {
  if (watch === undefined) return {};
  const { unsaidMs = 0, ...said } = watch;
  return { watch: isSaid ? said : { ...said, unsaidMs } };
}

/** Whether nothing kept the wave from going on at a look but what has a time of its own. */
export function isWell({ heard, watch }: Pick<WaveProgress, 'heard' | 'watch'>): boolean {
  return heard === 'well' && watch?.unsaidMs === undefined;
}

/** A yes that is waited for is not heard before the gates are asked again, whatever else is heard meanwhile. */
export function waitForGates(
  { watch }: Pick<WaveProgress, 'watch'>,
  passedMs: number,
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
): Partial<Pick<WaveProgress, 'watch'>> {
  if (watch?.unsaidMs === undefined) return {};
  const { unsaidMs } = watch;
  const deadlineMs = progressDeadlineSeconds * 1000;
  // However long a look takes, one comes at the deadline: a no that it hears has its second look.
  const isToStop = unsaidMs < deadlineMs;
  const nowMs = unsaidMs + passedMs;
  return { watch: { ...watch, unsaidMs: isToStop ? Math.min(nowMs, deadlineMs) : nowMs } };
}

/**
 * The times of a wave after a look at the list: how long it has got no further while all was heard, and how long that was not.
 * What a look has heard lasts until the next one; but while endpoints are on their way progress is due, so the look that ends a
 * silence without any counts as a part of that. Time in which only proof is missing is in neither. Both begin anew when two
 * looks find all of it well, and silence once all of a wave on its way is heard.
 *
 * @param passedMs Since the look before, without pauses.
 */
export function countHeard(
  { heard: last, stuckMs, silentMs, bakedMs }: Heard,
  heard: Hearing,
  passedMs: number,
): Pick<WaveProgress, 'heard' | 'stuckMs' | 'silentMs'> {
  // One look that finds it well ends nothing: what comes back at every other look would hold a bake for ever.
  if (heard === 'well' && last === 'well') return { heard, stuckMs: 0, silentMs: 0 };
  const isDue = bakedMs === null && heard === 'work';
  const isStuck = STUCK_SINCE[last]({ isDue, isInBake: bakedMs !== null, heard });
  return {
    heard,
    stuckMs: stuckMs + (isStuck ? passedMs : 0),
    silentMs: isDue ? 0 : silentMs + (last === 'silence' ? passedMs : 0),
  };
}

interface Since {
  readonly isDue: boolean;
  readonly isInBake: boolean;
  readonly heard: Hearing;
}

/** Whether a wave has stood still since a look that has heard this, by what is heard now. */
const STUCK_SINCE: Readonly<Record<Hearing, (now: Since) => boolean>> = {
  well: () => false,
  // In a bake what has spoken against the wave did so until now, also if it is taken back.
  work: ({ isInBake, heard }) => isInBake || heard === 'work' || heard === 'silence',
  proof: ({ heard }) => heard === 'work' || heard === 'silence',
  silence: ({ isDue }) => isDue,
};

type Heard = Pick<WaveProgress, 'heard' | 'stuckMs' | 'silentMs' | 'bakedMs'>;

/** How long that what keeps a wave from going on may do so yet. `Infinity`: only proof is missing. */
export function deadlineLeftMs(
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
  { heard, stuckMs, silentMs }: Pick<WaveProgress, 'heard' | 'stuckMs' | 'silentMs'>,
): number {
  if (heard === 'proof') return Number.POSITIVE_INFINITY;
  return progressDeadlineSeconds * 1000 - (heard === 'silence' ? silentMs : stuckMs);
}
