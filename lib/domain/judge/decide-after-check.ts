import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision, Ending } from '../decision.ts';
import type { Endpoint } from '../endpoint.ts';
import { ErrorName } from '../errors.ts';
import type { RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';
import { chooseRolls } from './choose-rolls.ts';
import { describeLoss, describeSuperseded } from './describe-wave.ts';
import { judgeWave } from './judge-wave.ts';

/** Decides what follows a complete read of the list. `progress` has that read in it already. */
export function decideAfterCheck(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  endpoints: readonly Endpoint[],
  now: number,
): Decision {
  const denied = findDenial(record);
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
        oldEndpoints: findOldEndpoints(record, plan, endpoints),
      };
    case 'progressing':
      return verdict.mayRoll ? rollMore(record, plan, progress) : { next: 'wait' };
    default:
      return verdict satisfies never;
  }
}

/** The service does not let us write: stop asking, because repeated tries lock accounts out. */
function findDenial({ journal }: RolloutRecord): Ending | undefined {
  const entry = journal.findLast(({ reason }) => reason === ErrorName.UpstreamAuth);
  if (entry === undefined) return undefined;
  return {
    outcome: 'Errored',
    reason: ErrorName.UpstreamAuth,
    message: entry.message ?? 'The service refused our credentials.',
  };
}

function rollMore(record: RolloutRecord, plan: RolloutPlan, progress: WaveProgress): Decision {
  const { wave, observations } = progress;
  const from = plan.waves[wave]?.from ?? 0;
  const isAccepted = record.journal.some(({ result }) => result === 'accepted');
  const chosen = chooseRolls(observations, plan.maxUnavailable, isAccepted);
  if (chosen.length === 0) return { next: 'wait' };
  return { next: 'roll', wave, positions: chosen.map((position) => from + position) };
}
