import { endRollback } from '../contain/end-rollback.ts';
import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision } from '../decision.ts';
import { REGISTERING_READS } from '../defaults.ts';
import { ErrorName } from '../errors.ts';
import type { JournalEntry } from '../journal.ts';
import type { WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { bakeLookSeconds } from './bake.ts';
import { chooseRolls } from './choose-rolls.ts';
import { decideAbort } from './decide-abort.ts';
import { decideGiveWay } from './decide-give-way.ts';
import { describeLoss, describeSuperseded } from './describe-wave.ts';
import { isUnregistered } from './endpoint-verdict.ts';
import { judgeWave } from './judge-wave.ts';
import { nextPollSeconds, retryWaitSeconds } from './next-poll.ts';
import { findDenial, isOverdue, NO_ROLLS, rollHistories } from './roll-history.ts';
import { findToleratedLosses } from './tolerated-losses.ts';

/** Decides what follows a complete read of the list. `progress` has that read in it already. */
export function decideAfterCheck(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  now: number,
): Decision {
  const denial = findDenial(record.journal);
  if (denial !== undefined) return endDenied(record, plan, denial);
  const aborted = decideAbort(record, plan, progress) ?? decideGiveWay(record, plan);
  if (aborted !== undefined) return aborted;
  const { policy } = record.request;
  const tolerated = findToleratedLosses(plan, progress.observations, policy);
  const verdict = judgeWave({
    observations: progress.observations,
    tolerated,
    sinceProgressMs: now - progress.progressedAt,
    progressDeadlineMs: policy.progressDeadlineSeconds * 1000,
  });
  if (plan.direction === 'back' && verdict.verdict !== 'progressing') return endRollback(record);
  switch (verdict.verdict) {
    case 'converged':
      return { next: 'bake', seconds: bakeLookSeconds(plan, progress) };
    case 'superseded':
      return { next: 'close', ending: describeSuperseded(record, plan, progress) };
    case 'failed':
      return {
        next: 'contain',
        onFailure: policy.onFailure,
        ending: describeLoss(verdict.reason, record, plan, progress),
        oldEndpoints: findOldEndpoints(record, plan, progress),
      };
    case 'progressing': {
      const seconds = nextPollSeconds(record, plan, progress, now);
      const mayRoll = verdict.mayRoll && retryWaitSeconds(record, now) <= 0;
      const positions = mayRoll ? findRolls(record, plan, progress, tolerated, now) : [];
      return positions.length === 0
        ? { next: 'wait', seconds }
        : { next: 'roll', wave: progress.wave, positions, seconds };
    }
    default:
      return verdict satisfies never;
  }
}

/** We cannot write: stop asking, because repeated tries lock accounts out. */
function endDenied(record: RolloutRecord, plan: RolloutPlan, denial: JournalEntry): Decision {
  const message = denial.message ?? 'The service refused our credentials.';
  if (plan.direction === 'back') return endRollback(record, message);
  const reason = denial.reason ?? ErrorName.UpstreamAuth;
  return { next: 'close', ending: { outcome: 'Errored', reason, message } };
}

function findRolls(
  record: RolloutRecord,
  plan: RolloutPlan,
  { wave, observations }: WaveProgress,
  tolerated: ReadonlySet<number>,
  now: number,
): number[] {
  const { from = 0 } = plan.waves[wave] ?? {};
  // While a wave that was trusted is not what it was, nothing more is rolled.
  const hasRegressed = observations
    .slice(0, from)
    .some(({ state }, position) => state !== 'converged' && !tolerated.has(position));
  if (hasRegressed) return [];
  const histories = rollHistories(record.journal, plan.direction);
  const overdue = plan.endpoints.flatMap(({ endpointId }, position) => {
    const isLate = isOverdue(histories.get(endpointId) ?? NO_ROLLS, now);
    const observation = observations[position];
    const isDue = isLate && observation !== undefined && isUnregistered(observation);
    return isDue && observation.reads >= REGISTERING_READS ? [position] : [];
  });
  return [...overdue, ...chooseRolls(plan, observations, record.journal)].sort((a, b) => a - b);
}
