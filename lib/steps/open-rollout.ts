import type { Position } from '../contract/position.ts';
import { parseRolloutInput } from '../contract/rollout-input.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { describeNothingToDo } from '../domain/judge/describe-success.ts';
import { startWave } from '../domain/judge/start-wave.ts';
import { beginWave } from '../domain/judge/wave-progress.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import { planRollout } from '../domain/plan/plan-rollout.ts';
import type { Lease, RolloutPlan, RolloutRequest, WaveProgress } from '../domain/rollout.ts';
import { fingerprintOf } from './fingerprint.ts';
import { handOn } from './hand-on.ts';
import { readStableList } from './read-stable-list.ts';
import { type PolicyOf, requestRollout } from './request-rollout.ts';
import type { StepPorts } from './step-ports.ts';

/**
 * Takes the runtime's lease, reads the whole list and freezes the plan. Run again for a rollout that is
 * under way, because its answer was lost or its process died, it goes on where the ledger has it.
 *
 * @throws `InvalidInput`, `VersionUnknown`, `LeaseHeld`, `EmptyScope`, `DowngradeRefused`, `PlanChanged`,
 *   `ListUnstable`.
 */
export async function openRollout(
  { rolloutId, input }: { readonly rolloutId: string; readonly input: unknown },
  policyOf: PolicyOf,
  ports: StepPorts,
): Promise<Position> {
  const { ledger, clock, service } = ports;
  const wanted = await requestRollout(rolloutId, parseRolloutInput(input), policyOf, ports);
  const now = clock.now();
  const lease = await ledger.open(wanted, now, now + LEASE_MARGIN_MS);
  // What was recorded first is what was asked for.
  const record = await ledger.read(rolloutId);
  const { request } = record;
  if (record.progress !== null) return goOn(record.progress, request, lease, ports);
  const endpoints = await readStableList(service, request.runtimeId);
  const drawn = planRollout(endpoints, request.desiredVersion, request.policy);
  refuseChange(drawn, request);
  const plan = await ledger.freezePlan(lease, drawn);
  const progress = beginWave(plan, 0, clock.now());
  if (plan.waves.length === 0) {
    const ending = describeNothingToDo(request, plan);
    return handOn({ next: 'close', ending }, request, lease, progress, ports);
  }
  await ledger.saveProgress(lease, progress);
  return handOn(startWave({ request, journal: [] }, plan, 0), request, lease, progress, ports);
}

/** A look at the list tells the rest: what was rolled, what is live, what has failed meanwhile. */
function goOn(progress: WaveProgress, request: RolloutRequest, lease: Lease, ports: StepPorts) {
  return handOn({ next: 'wait', seconds: 0 }, request, lease, progress, ports);
}

/** Somebody said yes to another plan than this one. */
function refuseChange(plan: RolloutPlan, { agreedPlan, policy }: RolloutRequest): void {
  const fingerprint = fingerprintOf(plan, policy);
  if (agreedPlan === undefined || agreedPlan === fingerprint) return;
  throw new SteprollError(
    ErrorName.PlanChanged,
    `The fleet is not what it was when the plan ${agreedPlan} was shown: the plan would now be ${fingerprint}. Look at it again.`,
  );
}
