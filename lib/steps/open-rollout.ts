import type { Position } from '../contract/position.ts';
import { parseRolloutInput } from '../contract/rollout-input.ts';
import { describeNothingToDo } from '../domain/judge/describe-wave.ts';
import { startWave } from '../domain/judge/start-wave.ts';
import { beginWave } from '../domain/judge/wave-progress.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import { planRollout } from '../domain/plan/plan-rollout.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import { readStableList } from './read-stable-list.ts';
import type { StepPorts } from './step-ports.ts';
import { toPosition } from './to-position.ts';

/**
 * Takes the runtime's lease, reads the whole list and freezes the plan. Run again for the same
 * rollout, it finds lease and plan as they are.
 *
 * @throws `InvalidInput`, `LeaseHeld`, `EmptyScope`, `ListUnstable`.
 */
export async function openRollout(
  { rolloutId, input }: { readonly rolloutId: string; readonly input: unknown },
  defaults: RolloutPolicy,
  ports: StepPorts,
): Promise<Position> {
  const { ledger, clock, service } = ports;
  const request = parseRolloutInput(input, rolloutId, defaults);
  const now = clock.now();
  const lease = await ledger.open(request, now, now + LEASE_MARGIN_MS);
  const endpoints = await readStableList(service, request.runtimeId);
  const drawn = planRollout(endpoints, request.desiredVersion, request.policy);
  const plan = await ledger.freezePlan(lease, drawn);
  if (plan.waves.length === 0) {
    const ending = describeNothingToDo(request, plan);
    return toPosition({ next: 'close', ending }, request, lease, 0);
  }
  await ledger.saveProgress(lease, beginWave(0, clock.now()));
  return toPosition(startWave(plan, 0, [], []), request, lease, 0);
}
