import {
  describeLoss,
  describeRegress,
  describeSilence,
  describeSuperseded,
} from '../ending/failure.ts';
import {
  hasConverged,
  isConfirmed,
  isLostForGood,
  isNotYetGone,
  isTakenBack,
  type Observation,
} from '../endpoint/observation.ts';
import type { LookAgain } from '../look-again.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { bakeLeftMs, judgeBake, judgeDoubt } from '../wave/bake.ts';
import { findToleratedLosses } from '../wave/tolerated-losses.ts';
import { contain, type Decision, waitFor } from './decision.ts';
import { decideInterruption } from './interruption.ts';

/**
 * Decides what follows a complete read of the list during the bake or after it. A wave is trusted only while every
 * endpoint of it, and of the waves before it, is still converged. One read that says otherwise may be an old answer,
 * so the list is read again before it counts. A loss that was tolerated, and that is there again, has to get there like
 * any other endpoint: the wave is checked again, and then it bakes on. Answers `undefined` when the wave has baked: then
 * the gates decide.
 */
export function decideAfterBake(
  record: RolloutRecord,
  plan: RolloutPlan,
  before: Pick<WaveProgress, 'observations' | 'isCheckedAgain'>,
  progress: WaveProgress,
): Decision | undefined {
  const ended = decideInterruption({ record, plan, progress });
  if (ended !== undefined) return ended;
  const { policy } = record.request;
  const wereLost = findToleratedLosses(plan, before.observations, policy);
  const isAnyBack = progress.observations.some((each, index) => {
    return wereLost.has(index) && !isLostForGood(each);
  });
  // A step that died after it had written that down runs again.
  if (isAnyBack || before.isCheckedAgain) {
    return waitFor('second-look', progress, { seconds: policy.pollSeconds });
  }
  const observations = observationsThatCount(record, plan, progress);
  if (observations.every(hasConverged)) {
    const bake = judgeBake(plan, progress);
    return bake === 'baked' ? undefined : bakeOnward(plan, progress, bake);
  }
  const unsettled = observations.filter((each) => !isConfirmed(each));
  const doubt = unsettled.length === 0 ? 'over' : judgeDoubt(progress, policy, unsettled);
  if (doubt !== 'over') return inDoubt('doubt', progress, policy, doubt);
  const lost = observations.filter((one) => one.state !== 'converged' && !isNotYetGone(one));
  // What nobody can say how it is says nothing against the wave, and nothing for it.
  if (lost.length === 0) {
    const forMs = progress.doubtMs ?? 0;
    return { next: 'close', ending: describeSilence(record, plan, progress, forMs) };
  }
  const isOnlyMoved = lost.every(({ state }) => state === 'superseded');
  if (isOnlyMoved) return { next: 'close', ending: describeSuperseded(record, plan, progress) };
  const ending = observations.some(isTakenBack)
    ? describeLoss('TakenBack', record, plan, progress)
    : describeRegress(record, plan, progress);
  return contain(record, plan, progress, ending);
}

/** The wave bakes, and nothing speaks against it. */
export function bakeOnward(
  plan: RolloutPlan,
  progress: WaveProgress,
  { lookAgainIn: seconds }: LookAgain,
): Decision {
  return waitFor('bake', progress, { seconds, leftMs: bakeLeftMs(plan, progress) });
}

/** Something speaks against the wave, or says nothing of it, and may do so until the deadline. */
export function inDoubt(
  kind: 'doubt' | 'gate',
  progress: WaveProgress,
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
  { lookAgainIn: seconds }: LookAgain,
  of = '',
): Decision {
  const leftMs = progressDeadlineSeconds * 1000 - (progress.doubtMs ?? 0);
  return waitFor(kind, progress, { seconds, leftMs, of });
}

/** Whether everything that was converged still is, according to this read. */
export function hasHeld(
  record: Pick<RolloutRecord, 'request'>,
  plan: RolloutPlan,
  progress: WaveProgress,
): boolean {
  return observationsThatCount(record, plan, progress).every(hasConverged);
}

function observationsThatCount(
  { request }: Pick<RolloutRecord, 'request'>,
  plan: RolloutPlan,
  { observations }: WaveProgress,
): readonly Observation[] {
  const tolerated = findToleratedLosses(plan, observations, request.policy);
  return observations.filter((_, index) => !tolerated.has(index));
}
