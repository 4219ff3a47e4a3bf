import { CONTAINMENTS } from '../containment/failure-policies.ts';
import {
  describeAllPinned,
  describeLoss,
  describeRefusal,
  describeSilence,
  describeSuperseded,
  type WaveFailure,
} from '../ending/failure.ts';
import { legOf } from '../endpoint/leg.ts';
import {
  hasConverged,
  hasFailed,
  hasRegressed,
  hasVanished,
  isBad,
  isInMidRoll,
  isLetGo,
  isLostForGood,
  isSeenInMidRoll,
  isTakenBack,
  type Observation,
  wasConfirmed,
} from '../endpoint/observation.ts';
import { soonest } from '../look-again.ts';
import type { Hearing } from '../rollout/hearing.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import { policyAfter } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { mayWrite } from '../signals/signals.ts';
import { waveOf } from '../turn/roll-window.ts';
import { bakeLeftMs, judgeBake } from '../wave/bake.ts';
import { deadlineLeftMs } from '../wave/hearing.ts';
import { leftOf, nextPoll, retryWaitSeconds } from '../wave/polls.ts';
import { findToleratedLosses } from '../wave/tolerated-losses.ts';
import { contain, type Decision, endRollback, waitFor, waitToRoll } from './decision.ts';
import { decideInterruption } from './interruption.ts';
import { findRolls, rollNow } from './next-rolls.ts';

/**
 * Decides what follows a look at a wave, before any gate is asked: on its way, in its bake, and after it. `undefined`: it has
 * baked, and all of it is converged, so the gates decide.
 *
 * @param progress After this look.
 */
export function decideAfterLook(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const ended = decideInterruption({ record, plan, progress });
  if (ended !== undefined) return ended;
  const { policy } = record.request;
  const leg = legOf(plan);
  const afterBad = CONTAINMENTS[policyAfter('bad', policy.onFailure)];
  const verdict = judgeWave({
    observations: thatCount(record, plan, progress),
    heard: progress.heard,
    isOver: deadlineLeftMs(policy, progress) <= 0,
    hasConverged: progress.bakedMs !== null,
    goesBack: leg.after !== 'close' && afterBad.write === 'roll-back',
  });
  if (leg.after === 'close' && verdict.verdict !== 'progressing') {
    return endRollback(record, describeRefusal(record, plan, progress));
  }
  switch (verdict.verdict) {
    case 'converged': {
      if (leg.after !== 'close' && isAllLetGo(record, plan, progress)) {
        return { next: 'close', ending: describeAllPinned(record, plan, progress) };
      }
      // That it has converged is told before anything follows from it.
      const bake = judgeBake(plan, progress);
      if (bake === 'baked' && progress.bakedMs !== null) return undefined;
      const seconds = bake === 'baked' ? 0 : bake.lookAgainIn;
      return waitFor('bake', progress, { seconds, leftMs: bakeLeftMs(plan, progress) });
    }
    case 'superseded':
      return { next: 'close', ending: describeSuperseded(record, plan, progress) };
    case 'failed':
      return contain(record, plan, progress, describeLoss(verdict.reason, record, plan, progress));
    case 'unknown':
      return { next: 'close', ending: describeSilence(record, plan, progress) };
    case 'progressing':
      return goOn(record, plan, progress, verdict.mayRoll);
    default:
      return verdict satisfies never;
  }
}

/**
 * Nothing has shown that the version works, and no success may say so. Of a runtime in a group it may where no wave would
 * follow, because a pin makes no group fail.
 */
function isAllLetGo(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  { wave, observations }: WaveProgress,
): boolean {
  const isLast = wave + 1 >= plan.waves.length;
  const isHarmless = isLast && request.parent !== undefined;
  return !isHarmless && observations.every((one) => isLetGo(one) && !hasConverged(one));
}

/** Rolls what may be rolled now, and waits for it, or until what a look has said is confirmed or refuted. */
function goOn(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  mayRoll: boolean,
): Decision {
  const { policy } = record.request;
  const deadlineMs = deadlineLeftMs(policy, progress);
  const leftMs = Number.isFinite(deadlineMs) ? { leftMs: deadlineMs } : {};
  if (progress.bakedMs !== null && thatCount(record, plan, progress).every(wasConfirmed)) {
    const left = leftOf(deadlineMs / 1000, record);
    const { lookAgainIn: seconds } = soonest(policy.pollSeconds, Math.max(1, left));
    return waitFor('doubt', progress, { seconds, ...leftMs });
  }
  const poll = nextPoll(record, plan, progress);
  const wait = waitFor(poll.for, progress, { seconds: poll.seconds, ...leftMs });
  const now = progress.clock.watched;
  const isTold = record.isPaused || !mayWrite(legOf(plan).roll, record.signals);
  if (!mayRoll || isTold || retryWaitSeconds(record, now) > 0) return wait;
  const tolerated = findToleratedLosses(plan, progress.observations, policy);
  const indexes = findRolls(record, plan, progress, tolerated, now);
  if (indexes.length === 0) return wait;
  // A loss of an earlier wave that is there again has the windows of that wave.
  const waits = new Map(
    [...new Set(indexes.map((index) => waveOf(plan, index)))].map((wave) => [
      wave,
      waitToRoll(record, plan, wave, progress),
    ]),
  );
  const open = indexes.filter((index) => waits.get(waveOf(plan, index)) === null);
  if (open.length > 0) return rollNow(record, progress, open, wait);
  const [closed = wait] = [...waits.values()].flatMap((one) => one ?? []);
  // What is on its way has its deadline. A roll that is lost, and waits to be sent again, is not on its way.
  const isOnItsWay = progress.observations.some(
    (one, index) => isInMidRoll(one) && !isLetGo(one) && !indexes.includes(index),
  );
  return isOnItsWay || poll.for === 'second-look' ? wait : closed;
}

/** Where a wave stands after a look. `failed`, `superseded` and `unknown` end the rollout. */
type WaveVerdict =
  | { readonly verdict: 'converged' }
  | { readonly verdict: 'progressing'; readonly mayRoll: boolean }
  | { readonly verdict: 'failed'; readonly reason: WaveFailure }
  | { readonly verdict: 'superseded' }
  | { readonly verdict: 'unknown' };

interface WaveEvidence {
  /** One for each endpoint of the wave and of those before it, without losses that are tolerated. */
  readonly observations: readonly Observation[];
  readonly heard: Hearing;
  /** Whether what keeps the wave from going on has done so until the deadline. */
  readonly isOver: boolean;
  /** Whether all of the wave had converged once. */
  readonly hasConverged: boolean;
  /** Whether what was rolled goes back when a version is bad. */
  readonly goesBack: boolean;
}

/**
 * Judges a wave. A proven success wins over a deadline that passes in the same moment. Once more endpoints are lost
 * than are tolerated, nothing new is rolled, and the wave is judged when the endpoints in mid-roll have settled. So a
 * healthy endpoint is not stopped only because a broken one failed faster than it converged. A version that is bad is not
 * waited for where all of it goes back, because that stops nothing. In a wave that had converged, an endpoint that is not
 * there any more is lost once reads confirm it. At the deadline, what kept the wave from going on decides: silence is no
 * reason for a write.
 */
export function judgeWave(evidence: WaveEvidence): WaveVerdict {
  const { observations, heard, isOver, goesBack } = evidence;
  if (heard === 'well') return { verdict: 'converged' };
  const isLost = (one: Observation) =>
    isLostForGood(one) || (evidence.hasConverged && hasRegressed(one));
  const isAnyLost = observations.some(isLost);
  const isSettling = observations.some((one) => isInMidRoll(one) && !isLost(one));
  const hasTurnedOutBad = (one: Observation) =>
    one.state !== 'superseded' && isBad(one) && isLost(one);
  const isRefuted = goesBack && observations.some(hasTurnedOutBad);
  if (isAnyLost && (isRefuted || !isSettling)) return lossOf(evidence);
  if (!isOver) return { verdict: 'progressing', mayRoll: !isAnyLost };
  if (heard === 'silence' && !isAnyLost) return { verdict: 'unknown' };
  return lossOf(evidence);
}

function lossOf({ observations, hasConverged: isBaking }: WaveEvidence): WaveVerdict {
  const isGoneFrom = (one: Observation) =>
    wasConfirmed(one) && one.state !== 'converged' && one.state !== 'superseded';
  if (observations.some(isTakenBack)) return { verdict: 'failed', reason: 'TakenBack' };
  // At the deadline one read against an endpoint is enough, but not where another one is stuck.
  const isAnyStuck = observations.some((one) => isSeenInMidRoll(one) && !wasConfirmed(one));
  const isConfirmedLoss = (one: Observation) => isGoneFrom(one) && hasRegressed(one);
  if (isBaking && observations.some(isAnyStuck ? isConfirmedLoss : isGoneFrom)) {
    return { verdict: 'failed', reason: 'LiveRegressed' };
  }
  if (observations.some(hasFailed)) return { verdict: 'failed', reason: 'EndpointFailed' };
  if (observations.some(hasVanished)) return { verdict: 'failed', reason: 'EndpointVanished' };
  if (observations.some(isSeenInMidRoll)) return { verdict: 'failed', reason: 'Stalled' };
  return observations.some(isLostForGood)
    ? { verdict: 'superseded' }
    : { verdict: 'failed', reason: 'Stalled' };
}

function thatCount(
  { request }: Pick<RolloutRecord, 'request'>,
  plan: RolloutPlan,
  { observations }: WaveProgress,
): readonly Observation[] {
  const tolerated = findToleratedLosses(plan, observations, request.policy);
  return observations.filter((_, index) => !tolerated.has(index));
}
