import { type Position, parsePosition } from '../contract/flow/position.ts';
import { decideAfterBake, hasHeld } from '../domain/decision/after-bake.ts';
import { decideAfterGates } from '../domain/decision/after-gates.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { hasConverged } from '../domain/endpoint/observation.ts';
import { rememberGates } from '../domain/rollout/gates.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../domain/rollout/record.ts';
import { isApprovalAsked } from '../domain/signals/reject.ts';
import { bakeOn, convergedAt } from '../domain/wave/bake.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { beginWave, countedMs, withPause } from '../domain/wave/progress.ts';
import { askGates } from '../gates/ask-gates.ts';
import type { AskedWave } from '../gates/gate.ts';
import { KINDS_OF_ENDPOINTS } from '../gates/gates.ts';
import { handOn } from './frame/hand-on.ts';
import type { StepPayload, VerifyPorts } from './frame/ports.ts';
import { readWave } from './frame/read-wave.ts';
import { takeUp } from './frame/take-up.ts';
import { serviceOf } from './group/group-service.ts';

export function handleVerifyWave({ position }: StepPayload, context: VerifyPorts) {
  const at = parsePosition(position);
  return verifyWave(at, { ...context, service: serviceOf(at, context) });
}

/**
 * Looks at a wave during its bake and after it. The next wave starts only when this one has baked, is still
 * converged, and every gate says yes.
 *
 * @throws `LeaseLost`, and errors of the list that waiting does not mend, such as `UpstreamRejected`.
 */
export async function verifyWave(position: Position, ports: VerifyPorts): Promise<Position> {
  const { ledger, gates } = ports;
  const taken = await takeUp(ports, position);
  const { lease, record, plan } = taken;
  const read = await readWave('bake', position, taken, ports);
  const { before } = read;
  const at = { record, plan, progress: before, lease, execution: position.execution };
  if ('decision' in read) return handOn(read.decision, at, ports);
  const { endpoints, clock } = read;
  const { policy } = record.request;
  const observations = observeWave(record, plan, before, read);
  const progress: WaveProgress = {
    ...withPause(record, before),
    ...bakeOn(plan, before, policy, {
      passedMs: clock.watched - before.clock.watched,
      waitSeconds: position.waitSeconds,
      isAsked: isApprovalAsked(record, before),
      countedMs: countedMs(record, before, clock),
    }),
    clock,
    observations,
    readAt: clock.at,
    stalledMs: 0,
    unreadableMs: null,
    looks: before.looks + 1,
  };
  const afterBake = decideAfterBake(record, plan, before, progress);
  const { verify } = record.request.policy;
  const readings =
    afterBake === undefined
      ? await askGates(verify, waveToAsk(record, plan, progress, endpoints), gates)
      : [];
  const decision = afterBake ?? decideAfterGates(record, plan, progress, readings, endpoints);
  const isSilent = readings.some(({ verdict }) => verdict === 'unknown');
  const isSure = hasHeld(record, plan, progress) && !isSilent;
  const after: WaveProgress = {
    ...progress,
    doubtMs: isSure || decision.next === 'wait' ? null : progress.doubtMs,
    ...(decision.next === 'wait' && { isCheckedAgain: true as const }),
    ...(readings.length > 0 && {
      gates: rememberGates(progress.wave + 1, clock.at, readings, KINDS_OF_ENDPOINTS),
    }),
  };
  await ledger.saveProgress(lease, after);
  if (decision.next === 'roll') {
    await ledger.saveProgress(lease, beginWave(plan, decision.wave, clock, progress));
  }
  return handOn(decision, { ...at, progress: after }, ports);
}

/** What the gates are asked about. Endpoints that are lost within the failure threshold are left out. */
export function waveToAsk(
  { request }: Pick<RolloutRecord, 'request'>,
  plan: RolloutPlan,
  progress: WaveProgress,
  listed: readonly Endpoint[],
): AskedWave {
  const { wave, observations } = progress;
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const ids = new Set(
    plan.endpoints.slice(from, to).flatMap(({ endpointId }, index) => {
      const observation = observations[from + index];
      return observation !== undefined && hasConverged(observation) ? [endpointId] : [];
    }),
  );
  const endpoints = listed.filter(({ id }) => ids.has(id));
  return { request, endpoints, since: convergedAt(progress), now: progress.readAt };
}
