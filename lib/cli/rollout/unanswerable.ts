import { systemClock } from '../../adapters/machine/clock.ts';
import { nameOf } from '../../domain/sentences.ts';
import { askedGates, partsOf } from '../../gates/gates.ts';
import type { DrawnPlan } from '../../steps/opening/draw-plan.ts';
import type { EngineOptions } from '../engine/open-engine.ts';
import type { Prepared } from '../settings/prepare.ts';
import { openGatesOf } from '../settings/service.ts';

/**
 * Why gates of a plan can never be answered, in sentences. They are tried only when the rollout runs on this machine,
 * because on AWS it asks them with its own role. Each is tried for the first endpoint of the plan.
 */
export async function findUnanswerable(
  { plan, policy, unanswerable, ...subject }: DrawnPlan,
  { '--engine': engine }: Pick<EngineOptions, '--engine'>,
  prepared: Pick<Prepared<object>, 'config'>,
): Promise<readonly string[]> {
  if (engine === 'aws') {
    const asked = askedGates(policy.verify);
    return [...unanswerable, ...asked.flatMap(({ gate, said }) => gate.faultsOnAws?.(said) ?? [])];
  }
  const tried = partsOf(policy.verify, true).filter(({ gate }) => gate.tryOut !== undefined);
  if (plan.endpoints.length === 0 || tried.length === 0) return unanswerable;
  const ports = await openGatesOf(prepared);
  const endpoints = plan.endpoints.slice(0, 1).map(nameOf);
  const on = { ...subject, endpoints, now: systemClock.now() };
  const found = await Promise.all(tried.map(({ gate, said }) => gate.tryOut?.(said, on, ports)));
  return [...unanswerable, ...found.flatMap((one) => one?.faults ?? [])];
}
