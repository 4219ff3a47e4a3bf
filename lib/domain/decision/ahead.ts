import { describeNoWave } from '../ending/ahead.ts';
import type { AskedReading } from '../rollout/gates.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { judgeAhead } from '../wave/ahead.ts';
import { contain, type Decision } from './decision.ts';

/**
 * What follows from the gates that the next wave waits for. A no is like one in a bake: the failure policy follows. A
 * promotion ends a bake, and gives no answer here.
 *
 * @param begin What follows when all of them say yes.
 */
export function decideAhead(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  readings: readonly AskedReading[],
  begin: Extract<Decision, { next: 'roll' }>,
): Decision {
  const verdict = judgeAhead(progress.ahead ?? NOTHING, readings, progress, record.request.policy);
  if (verdict === 'go') return begin;
  if ('lookAgainIn' in verdict) return { next: 'bake', seconds: verdict.lookAgainIn };
  const { reason, readings: answers } = verdict;
  const ending = describeNoWave(reason, begin.wave, plan.waves.length, answers);
  return reason === 'GateFailed'
    ? contain(record, plan, progress, ending)
    : { next: 'close', ending };
}

const NOTHING = { kept: [] };
