import type { Ms, Seconds, Watched } from '../clock.ts';
import { type EndpointState, isInMidRoll, SETTLING_READS } from '../endpoint/observation.ts';
import { rollsOfPlan } from '../endpoint/rolls.ts';
import { meaningOf } from '../error-meanings.ts';
import { LONGEST_LOOK_SECONDS } from '../look-again.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import type { PlannedWait } from '../rollout/wait.ts';
import { deadlineLeftMs } from './hearing.ts';

/** The next look comes after this share of the time that a roll has taken so far. */
const LAG_SHARE = 0.1;

const SHORTEST_WAIT_SECONDS = 1;

/** Under a pause, while nothing is in mid-roll: somebody waits for the end of the pause. */
export const PAUSED_LOOK_SECONDS = 60;

/**
 * What a wave waits for that has not converged, and the seconds until the next look at the list. An endpoint that needs a second look gets it soon. Otherwise the looks get
 * rarer the longer the rolls take. Once an endpoint of this rollout has shown how long a roll takes, the next look
 * comes when the first roll can be done. So an endpoint that went live is noticed within a tenth of its roll's time,
 * or within `pollSeconds`. No wait goes beyond the deadline, unless the service asks for it.
 */
export function nextPoll(
  record: Pick<RolloutRecord, 'request' | 'journal' | 'isPaused'>,
  plan: RolloutPlan,
  progress: WaveProgress,
): Pick<PlannedWait, 'for' | 'seconds'> {
  const needsSecondLook = isUnsettled(progress);
  const isAtRest = !needsSecondLook && !progress.observations.some(isInMidRoll);
  if (record.isPaused && isAtRest) return { for: 'pause', seconds: PAUSED_LOOK_SECONDS };
  const { policy } = record.request;
  const leftSeconds = leftOf(deadlineLeftMs(policy, progress) / 1000, record);
  const idle = needsSecondLook ? 0 : idleSeconds(record, plan, progress);
  const wanted = Math.min(withinPolls(idle, policy), leftSeconds);
  const asked = retryWaitSeconds(record, progress.clock.watched);
  const seconds = Math.ceil(Math.max(SHORTEST_WAIT_SECONDS, wanted, asked));
  if (asked > wanted) return { for: 'service', seconds };
  return { for: needsSecondLook ? 'second-look' : 'roll', seconds };
}

/** For how long nobody has to look for the sake of a deadline. Under a pause it stands still, and is no reason to look. */
export function leftOf(
  leftSeconds: Seconds,
  { isPaused }: Pick<RolloutRecord, 'isPaused'>,
): Seconds {
  return isPaused && leftSeconds > 0 ? Number.POSITIVE_INFINITY : leftSeconds;
}

export type PollPolicy = Pick<
  RolloutPolicy,
  'pollSeconds' | 'maxPollSeconds' | 'progressDeadlineSeconds'
>;

/** However long the rolls of a runtime usually take: by then somebody looks. */
const LATEST_FIRST_LOOK_SECONDS = 60;

/**
 * Seconds until the first look at a wave: half the time of a roll, once that is known. By then the service shows the
 * targets, so a roll that somebody else took back can be told from one that got lost. Where earlier rollouts have shown
 * how long a roll usually takes, nobody looks before that, but for a minute at most.
 *
 * @param usualRollMs `null`: nobody knows, or somebody has to look soon.
 */
export function firstPollSeconds(
  policy: PollPolicy,
  fastestRollMs: Ms | null,
  usualRollMs: Ms | null,
): Seconds {
  const halfSeconds = (fastestRollMs ?? 0) / 2 / 1000;
  const usualSeconds = Math.min(LATEST_FIRST_LOOK_SECONDS, (usualRollMs ?? 0) / 1000);
  const wanted = Math.max(withinPolls(halfSeconds, policy), usualSeconds);
  return Math.ceil(Math.min(wanted, policy.progressDeadlineSeconds));
}

const MAY_BE_OLD_ANSWERS: readonly EndpointState[] = ['converged', 'failed', 'reverted', 'missing'];

/** Some observation counts only when the next read confirms it. */
function isUnsettled({ observations }: WaveProgress): boolean {
  return observations.some(
    ({ state, reads }) => reads < SETTLING_READS && MAY_BE_OLD_ANSWERS.includes(state),
  );
}

function idleSeconds(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  { observations, fastestRollMs, resumed = 0, clock }: WaveProgress,
): number {
  const histories = rollsOfPlan(journal, plan);
  const rolled = observations.flatMap((observation, index) => {
    const last = histories[index]?.last;
    return isInMidRoll(observation) && last !== undefined ? [Math.max(last.watched, resumed)] : [];
  });
  // When nothing is in mid-roll, the next endpoints are rolled now.
  const now = clock.watched;
  const elapsedMs = now - rolled.reduce((first, one) => Math.min(first, one), now);
  return idleSecondsOf(elapsedMs / 1000, fastestRollMs === null ? null : fastestRollMs / 1000);
}

/** For how many seconds nothing is to be expected of rolls that have taken so long, by the fastest roll so far. */
export function idleSecondsOf(elapsedSeconds: number, fastestSeconds: number | null): number {
  const untilDue = fastestSeconds === null ? 0 : fastestSeconds - elapsedSeconds;
  return untilDue > 0 ? untilDue : elapsedSeconds * LAG_SHARE;
}

export function withinPolls(
  seconds: number,
  { pollSeconds, maxPollSeconds }: Pick<PollPolicy, 'pollSeconds' | 'maxPollSeconds'>,
): number {
  return Math.max(pollSeconds, Math.min(maxPollSeconds, seconds));
}

/** For how many seconds the service asked us not to write, at most 300; 0 or less when it did not ask. */
export function retryWaitSeconds(
  { journal }: Pick<RolloutRecord, 'journal'>,
  now: Watched,
): number {
  const latest = journal.reduce((last, { at, watched, retryAt, reason = '' }) => {
    // An endpoint that is busy keeps no other one waiting.
    const isOfOne = meaningOf(reason).roll === 'later';
    return isOfOne || retryAt === undefined ? last : Math.max(last, watched + retryAt - at);
  }, 0);
  return Math.min(LONGEST_LOOK_SECONDS, (latest - now) / 1000);
}
