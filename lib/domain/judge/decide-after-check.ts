import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision, Ending } from '../decision.ts';
import { REGISTERING_READS } from '../defaults.ts';
import { ErrorName } from '../errors.ts';
import type { Observation, RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';
import { chooseRolls } from './choose-rolls.ts';
import { describeLoss, describeSuperseded } from './describe-wave.ts';
import { judgeWave } from './judge-wave.ts';
import { findDenial, isAnyAccepted, isOverdue, NO_ROLLS, rollHistories } from './roll-history.ts';

/** Decides what follows a complete read of the list. `progress` has that read in it already. */
export function decideAfterCheck(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  now: number,
): Decision {
  const denied = endDenied(record);
  if (denied !== undefined) return { next: 'close', ending: denied };
  const { policy } = record.request;
  const verdict = judgeWave({
    observations: progress.observations,
    sinceProgressMs: now - progress.progressedAt,
    progressDeadlineMs: policy.progressDeadlineSeconds * 1000,
  });
  switch (verdict.verdict) {
    case 'converged':
      return { next: 'bake', seconds: policy.bakeSeconds };
    case 'superseded':
      return { next: 'close', ending: describeSuperseded(record, plan, progress) };
    case 'failed':
      return {
        next: 'contain',
        ending: describeLoss(verdict.reason, record, plan, progress),
        oldEndpoints: findOldEndpoints(record, plan, progress),
      };
    case 'progressing':
      return verdict.mayRoll ? rollMore(record, plan, progress, now) : { next: 'wait' };
    default:
      return verdict satisfies never;
  }
}

/** We cannot write: stop asking, because repeated tries lock accounts out. */
function endDenied(record: RolloutRecord): Ending | undefined {
  const denial = findDenial(record.journal);
  if (denial === undefined) return undefined;
  return {
    outcome: 'Errored',
    reason: denial.reason ?? ErrorName.UpstreamAuth,
    message: denial.message ?? 'The service refused our credentials.',
  };
}

function rollMore(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  now: number,
): Decision {
  const { wave, observations } = progress;
  const { from = 0 } = plan.waves[wave] ?? {};
  // While a wave that was trusted is not what it was, nothing more is rolled.
  if (observations.slice(0, from).some(({ state }) => state !== 'converged')) {
    return { next: 'wait' };
  }
  const histories = rollHistories(record.journal);
  const overdue = plan.endpoints.flatMap(({ endpointId }, position) => {
    const isLate = isOverdue(histories.get(endpointId) ?? NO_ROLLS, now);
    return isLate && isUnregistered(observations[position]) ? [position] : [];
  });
  const isAccepted = isAnyAccepted(record.journal);
  const pending = chooseRolls(observations, plan.maxUnavailable, isAccepted);
  const positions = [...overdue, ...pending].sort((a, b) => a - b);
  return positions.length === 0 ? { next: 'wait' } : { next: 'roll', wave, positions };
}

/** Rolled, and read after read its target does not show it. */
function isUnregistered(observation: Observation | undefined): boolean {
  return (
    observation?.state === 'requested' &&
    observation.hadTarget !== true &&
    observation.reads >= REGISTERING_READS
  );
}
