import { systemClock } from '../../adapters/machine/clock.ts';
import { askedGates } from '../../gates/gates.ts';
import type { DrawnPlan } from '../../steps/opening/draw-plan.ts';
import type { EngineOptions } from '../engine/open-engine.ts';

/**
 * Why gates of a plan can never be answered, in sentences. They are tried only when the rollout runs on this machine,
 * because on AWS it asks them with its own role. Each is tried for the first endpoint of the plan.
 */
export async function findUnanswerable(
  { plan, policy, unanswerable, ...subject }: DrawnPlan,
  { '--engine': engine }: Pick<EngineOptions, '--engine'>,
): Promise<readonly string[]> {
  const asked = askedGates(policy.verify);
  if (engine === 'aws') {
    return [...unanswerable, ...asked.flatMap(({ gate, said }) => gate.faultsOnAws?.(said) ?? [])];
  }
  const tried = asked.filter(({ gate }) => gate.tryOut !== undefined);
  if (plan.endpoints.length === 0 || tried.length === 0) return unanswerable;
  const { openGates } = await import('../../adapters/gates/gates.ts');
  const ports = openGates();
  const endpoints = plan.endpoints.slice(0, 1).map(({ name, endpointId }) => name ?? endpointId);
  const on = { ...subject, endpoints, now: systemClock.now() };
  const found = await Promise.all(tried.map(({ gate, said }) => gate.tryOut?.(said, on, ports)));
  return [...unanswerable, ...found.flatMap((one) => one?.faults ?? [])];
}
