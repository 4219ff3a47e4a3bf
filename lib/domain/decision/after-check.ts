import type { Ms } from '../clock.ts';
import { CONTAINMENTS } from '../containment/failure-policies.ts';
import {
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
  hasVanished,
  isBad,
  isInMidRoll,
  isLostForGood,
  isShownConverged,
  isTakenBack,
  isUntold,
  type Observation,
} from '../endpoint/observation.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import { policyAfter } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { mayWrite } from '../signals/signals.ts';
import { judgeBake } from '../wave/bake.ts';
import { nextPoll, retryWaitSeconds } from '../wave/polls.ts';
import { findToleratedLosses } from '../wave/tolerated-losses.ts';
import { bakeOnward } from './after-bake.ts';
import { contain, type Decision, endRollback, waitFor } from './decision.ts';
import { decideInterruption } from './interruption.ts';
import { findRolls, rollNow } from './next-rolls.ts';

/** Decides what follows a complete read of the list. `progress` contains that read already. */
export function decideAfterCheck(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision {
  const ended = decideInterruption({ record, plan, progress });
  if (ended !== undefined) return ended;
  const { policy } = record.request;
  const now = progress.clock.watched;
  const tolerated = findToleratedLosses(plan, progress.observations, policy);
  const leg = legOf(plan);
  const afterBad = CONTAINMENTS[policyAfter('bad', policy.onFailure)];
  const verdict = judgeWave({
    observations: progress.observations,
    tolerated,
    stalledMs: progress.stalledMs,
    progressDeadlineMs: policy.progressDeadlineSeconds * 1000,
    goesBack: leg.after !== 'close' && afterBad.write === 'roll-back',
  });
  if (leg.after === 'close' && verdict.verdict !== 'progressing') {
    return endRollback(record, describeRefusal(record, plan, progress));
  }
  switch (verdict.verdict) {
    case 'converged': {
      const bake = judgeBake(plan, progress);
      return bakeOnward(plan, progress, bake === 'baked' ? { lookAgainIn: 0 } : bake);
    }
    case 'superseded':
      return { next: 'close', ending: describeSuperseded(record, plan, progress) };
    case 'failed':
      return contain(record, plan, progress, describeLoss(verdict.reason, record, plan, progress));
    case 'unknown':
      return { next: 'close', ending: describeSilence(record, plan, progress, progress.stalledMs) };
    case 'progressing': {
      const poll = nextPoll(record, plan, progress);
      const leftMs = policy.progressDeadlineSeconds * 1000 - progress.stalledMs;
      const wait = waitFor(poll.for, progress, { seconds: poll.seconds, leftMs });
      const isTold = record.isPaused || !mayWrite(leg.roll, record.signals);
      const mayRoll = verdict.mayRoll && !isTold && retryWaitSeconds(record, now) <= 0;
      const indexes = mayRoll ? findRolls(record, plan, progress, tolerated, now) : [];
      return indexes.length === 0 ? wait : rollNow(record, progress, indexes, wait);
    }
    default:
      return verdict satisfies never;
  }
}

/** Where a wave stands after a complete read of the list. `failed`, `superseded` and `unknown` end the rollout. */
type WaveVerdict =
  | { readonly verdict: 'converged' }
  | { readonly verdict: 'progressing'; readonly mayRoll: boolean }
  | { readonly verdict: 'failed'; readonly reason: WaveFailure }
  | { readonly verdict: 'superseded' }
  | { readonly verdict: 'unknown' };

interface WaveEvidence {
  /** One for each endpoint of the wave and of those before it. */
  readonly observations: readonly Observation[];
  /** Indexes of lost endpoints that do not stop the rollout. */
  readonly tolerated: ReadonlySet<number>;
  readonly stalledMs: Ms;
  readonly progressDeadlineMs: Ms;
  /** Whether what was rolled goes back when a version is bad. */
  readonly goesBack: boolean;
}

/**
 * Judges a wave. A proven success wins over a deadline that passes in the same moment. Once more endpoints are lost
 * than are tolerated, nothing new is rolled, and the wave is judged when the endpoints in mid-roll have settled. So a
 * healthy endpoint is not stopped only because a broken one failed faster than it converged. A version that is bad is not
 * waited for where all of it goes back, because that stops nothing. When the list tells of nothing that is against the
 * wave, and does not tell where the rest of it is, nobody knows how the wave is.
 */
export function judgeWave(evidence: WaveEvidence): WaveVerdict {
  const { tolerated, stalledMs, progressDeadlineMs, goesBack } = evidence;
  const observations = evidence.observations.filter((_, index) => !tolerated.has(index));
  if (observations.every(hasConverged)) return { verdict: 'converged' };
  const isLost = observations.some(isLostForGood);
  const isSettling = observations.some(isInMidRoll);
  const isRefuted = goesBack && observations.some(hasTurnedOutBad);
  if (isLost && (isRefuted || !isSettling)) return lossOf(observations);
  // All of it is live again, and only the read that confirms it is missing: that one comes soon, and decides.
  if (stalledMs < progressDeadlineMs || observations.every(isShownConverged)) {
    return { verdict: 'progressing', mayRoll: !isLost };
  }
  if (isLost) return lossOf(observations);
  const isUnknown = observations.some(isUntold) && !observations.some(isSeenInMidRoll);
  return isUnknown ? { verdict: 'unknown' } : { verdict: 'failed', reason: 'Stalled' };
}

/** The last read showed it on its way: neither did that tell nothing of it, nor did it show it live. */
function isSeenInMidRoll(observation: Observation): boolean {
  return isInMidRoll(observation) && !isUntold(observation) && !isShownConverged(observation);
}

/** It got to the version, and is lost there. Where somebody else has put it, that says nothing about the version. */
function hasTurnedOutBad(observation: Observation): boolean {
  return observation.state !== 'superseded' && isBad(observation) && isLostForGood(observation);
}

function lossOf(observations: readonly Observation[]): WaveVerdict {
  if (observations.some(isTakenBack)) return { verdict: 'failed', reason: 'TakenBack' };
  if (observations.some(hasFailed)) return { verdict: 'failed', reason: 'EndpointFailed' };
  if (observations.some(hasVanished)) return { verdict: 'failed', reason: 'EndpointVanished' };
  if (observations.some(isSeenInMidRoll)) return { verdict: 'failed', reason: 'Stalled' };
  return { verdict: 'superseded' };
}
