import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { usualPolicy } from './usual-policy.ts';

/** Whoever has taken the runtime over has written down how the rollout before it ended. */
export function takenOverIsTold({ record }: Pick<ScenarioResult, 'record'>): string[] {
  if (!record?.outcome?.message.includes('has taken the runtime over')) return [];
  const { outcome, cleanup } = record.outcome;
  const abort = record.signals.findLast(({ kind }) => kind === 'abort');
  const isLeft = abort !== undefined && (abort.onFailure ?? 'hold') === 'hold';
  const due = isLeft ? 'Aborted' : 'Errored';
  const isDue = outcome === due;
  const isMissed = mustMiss(record) && cleanup !== 'incomplete';
  return [
    ...(isDue ? [] : [`it was taken over, and had to end as ${due}, and not as ${outcome}`]),
    ...(isMissed ? [`it has left endpoints that are not live, and its cleanup is ${cleanup}`] : []),
  ];
}

/** It has rolled endpoints that it has not seen live, and the policy is to do something with them. */
function mustMiss(record: AskedRollout): boolean {
  const { request, signals, rollback, plan, progress, journal } = record;
  const toDo = request.policy !== null && usualPolicy(request.policy.onFailure, record) !== 'hold';
  if (!toDo || signals.length > 0 || rollback !== null || plan === null) return false;
  return plan.endpoints.some(({ endpointId }, index) => {
    const { state, wasConverged } = progress?.observations[index] ?? {};
    const lines = journal.filter((line) => line.endpointId === endpointId);
    const isMeant = lines.at(-1)?.result === 'intended';
    const isRolled = isMeant || lines.some(({ result }) => result === 'accepted');
    const isDealtWith = lines.some(({ operation }) => operation === 'stop');
    return isRolled && !isDealtWith && state !== 'converged' && wasConverged !== true;
  });
}
