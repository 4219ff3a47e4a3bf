import { systemClock } from '../../adapters/machine/clock.ts';
import type { DrawnPlan } from '../../steps/opening/draw-plan.ts';
import { unanswerableAlarms, unanswerableMetrics } from '../../steps/opening/gates.ts';
import type { EngineOptions } from '../engine/open-engine.ts';

/**
 * Why gates of a plan can never be answered, in sentences. Alarms and metrics are read only when the rollout runs on
 * this machine, because on AWS it reads them with its own role.
 */
export async function findUnanswerable(
  drawn: DrawnPlan,
  { '--engine': engine }: Pick<EngineOptions, '--engine'>,
): Promise<readonly string[]> {
  const { plan, policy, unanswerable } = drawn;
  const { alarms, metrics } = policy.verify;
  if (engine === 'aws' || plan.endpoints.length === 0) return unanswerable;
  if (alarms.length === 0 && metrics.length === 0) return unanswerable;
  const { openGates } = await import('../../adapters/gates/gates.ts');
  const gates = openGates();
  const more = await Promise.all([
    unanswerableAlarms(policy.verify, gates),
    unanswerableMetrics(drawn, gates, systemClock.now()),
  ]);
  return [...unanswerable, ...more.flat()];
}
