import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision } from '../decision.ts';
import { SETTLING_READS, VANISHING_READS } from '../defaults.ts';
import type { Observation, RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';
import { describeRegress, describeSuccess, describeSuperseded } from './describe-wave.ts';
import { hasConverged } from './judge-wave.ts';
import { startWave } from './start-wave.ts';

/**
 * Decides what follows the bake, from a complete read of the list: a wave is trusted only while every
 * endpoint of it, and of the waves before it, is still converged. One read against it may be an old
 * answer, so the list is read again before it counts. `sinceProgressMs` bounds how often.
 */
export function decideAfterBake(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  sinceProgressMs: number,
): Decision {
  const { observations } = progress;
  const { bakeSeconds, pollSeconds, progressDeadlineSeconds } = record.request.policy;
  if (observations.every(hasConverged)) return goOn(record, plan, progress);
  const isOver = sinceProgressMs >= (bakeSeconds + progressDeadlineSeconds) * 1000;
  const isSettled = observations.every((each) => hasConverged(each) || isSurelyLost(each));
  if (!isOver && !isSettled) return { next: 'bake', seconds: pollSeconds };
  const isOnlyMoved = observations.every(
    (observation) => hasConverged(observation) || observation.state === 'superseded',
  );
  if (isOnlyMoved) return { next: 'close', ending: describeSuperseded(record, plan, progress) };
  return {
    next: 'contain',
    ending: describeRegress(record, plan, progress),
    oldEndpoints: findOldEndpoints(record, plan, progress),
  };
}

function isSurelyLost({ state, reads }: Observation): boolean {
  if (state === 'converged') return false;
  if (state === 'superseded') return true;
  return reads >= (state === 'missing' ? VANISHING_READS : SETTLING_READS);
}

function goOn(record: RolloutRecord, plan: RolloutPlan, progress: WaveProgress): Decision {
  const next = progress.wave + 1;
  return next < plan.waves.length
    ? startWave(plan, next, progress.observations, record.journal)
    : { next: 'close', ending: describeSuccess(record, plan) };
}
