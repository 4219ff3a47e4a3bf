import { handedOverIn, type Position, readHandedOver } from '../contract/position.ts';
import { parseRolloutInput } from '../contract/rollout-input.ts';
import { activePlan } from '../domain/active-plan.ts';
import type { Decision } from '../domain/decision.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { startedEvent } from '../domain/events/rollout-events.ts';
import { EVENTS_OF_OPENING, type ExecutionSoFar, eventsUntilNext } from '../domain/hand-over.ts';
import { describeNothingToDo } from '../domain/judge/describe-success.ts';
import { startWave } from '../domain/judge/start-wave.ts';
import { beginWave, resumeProgress } from '../domain/judge/wave-progress.ts';
import { planRollout } from '../domain/plan/plan-rollout.ts';
import type { Lease, RolloutRecord, RolloutRequest } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { rolloutOfExecution } from './execution-name.ts';
import { findRecord } from './find-record.ts';
import { fingerprintOf, isDrawnWith } from './fingerprint.ts';
import { handOn } from './hand-on.ts';
import { readStableList } from './read-stable-list.ts';
import { type ExecutionStart, type PolicyOf, requestRollout } from './request-rollout.ts';
import { resume } from './resume.ts';
import type { StepPorts } from './step-ports.ts';
import { takeLease } from './take-lease.ts';
import { takeTurn } from './take-turn.ts';
import { tell } from './tell.ts';
import { toPosition } from './to-position.ts';

/**
 * Takes the runtime's lease, reads the whole list and freezes the plan; before that it may have to wait for
 * its turn. Run again for a rollout that is under way, because its answer was lost or its process died, it
 * goes on where the ledger has it.
 *
 * @throws `InvalidInput`, `VersionUnknown`, `OutsideWindow`, `LeaseHeld`, `StaleTrigger`, `EmptyScope`,
 *   `DowngradeRefused`, `VersionStepRefused`, `PlanChanged`, `ListUnstable`.
 */
export async function openRollout(
  { input, ...execution }: ExecutionStart & { readonly input: unknown },
  policyOf: PolicyOf,
  ports: StepPorts,
): Promise<Position> {
  const { ledger } = ports;
  const rolloutId = rolloutOfExecution(execution.rolloutId, input);
  if (rolloutId !== execution.rolloutId) return takeOver(rolloutId, { input, ...execution }, ports);
  const asked = parseRolloutInput(input);
  const known = await findRecord(execution.rolloutId, ledger);
  const newest = known === null ? await ledger.findNewestWish(asked.runtimeId) : null;
  const wanted =
    known?.request ?? (await requestRollout(execution, asked, newest, policyOf, ports));
  const turn = known === null ? await takeTurn(wanted, newest, ports) : IS_ITS_TURN;
  if (turn.next !== 'open') return beforeTheLease(turn, wanted, execution);
  const answer = await takeLease(wanted, newest, ports);
  if (answer.next !== 'open') return beforeTheLease(answer, wanted, execution);
  return planOrGoOn(answer.lease, justStarted(execution), ports);
}

const IS_ITS_TURN = { next: 'open' } as const;

/** A rollout without a lease has no epoch yet. */
function beforeTheLease(
  decision: Decision,
  request: RolloutRequest,
  start: ExecutionStart,
): Position {
  const { rolloutId, runtimeId } = request;
  const lease = { rolloutId, runtimeId, epoch: 0 };
  const at = { direction: 'forward', wave: 0, execution: justStarted(start) } as const;
  return toPosition(decision, request, lease, at);
}

function justStarted({ startTime }: ExecutionStart, number = 1): ExecutionSoFar {
  return { number, startedAt: startTime, events: EVENTS_OF_OPENING };
}

/**
 * Goes on just where the execution before handed over: nothing is decided anew, and no wait is cut short. What
 * another version of steproll has handed over is not understood: then it goes on where the ledger has it.
 *
 * @throws `LeaseLost`
 */
async function takeOver(
  rolloutId: string,
  { input, ...start }: ExecutionStart & { readonly input: unknown },
  ports: StepPorts,
): Promise<Position> {
  const execution = justStarted(start, (handedOverIn(input)?.number ?? 0) + 1);
  const position = readHandedOver(input);
  const record = await ports.ledger.read(rolloutId);
  const { lease } = await resume(ports, position ?? leaseOf(record));
  if (position === null || position.handOver === null) return planOrGoOn(lease, execution, ports);
  const { handOver, batches } = position;
  const events = execution.events + eventsUntilNext(batches.length);
  return {
    ...position,
    next: handOver.next,
    handOver: null,
    execution: { ...execution, events },
  };
}

function leaseOf({ request, epoch }: RolloutRecord): Lease {
  return { rolloutId: request.rolloutId, runtimeId: request.runtimeId, epoch };
}

async function planOrGoOn(
  lease: Lease,
  execution: ExecutionSoFar,
  ports: StepPorts,
): Promise<Position> {
  const { ledger, clock, service } = ports;
  // What was recorded first is what was asked for.
  const record = await ledger.read(lease.rolloutId);
  const { request } = record;
  if (record.progress !== null) {
    // A look at the list tells the rest: what was rolled, what is live, what has failed meanwhile.
    const plan = activePlan(record) as RolloutPlan;
    const progress = resumeProgress(record.progress, clock.now());
    await ledger.saveProgress(lease, progress);
    const at = { record, plan, progress, lease, execution };
    return handOn({ next: 'wait', seconds: 0 }, at, ports);
  }
  const endpoints = await readStableList(service, request.runtimeId);
  const drawn = planRollout(endpoints, request.desiredVersion, request.policy);
  refuseChange(drawn, request);
  const plan = await ledger.freezePlan(lease, drawn);
  const told = await tell(startedEvent(request, plan, clock.now()), record, lease, ports);
  const progress = beginWave(plan, 0, clock.now());
  const at = { record: { request, ...told }, plan, progress, lease, execution };
  if (plan.waves.length === 0) {
    const ending = describeNothingToDo(request, plan);
    return handOn({ next: 'close', ending }, at, ports);
  }
  await ledger.saveProgress(lease, progress);
  return handOn(startWave({ request, journal: [] }, plan, 0), at, ports);
}

/** Somebody said yes to another plan than this one. */
function refuseChange(plan: RolloutPlan, { agreedPlan, policy }: RolloutRequest): void {
  const fingerprint = fingerprintOf(plan, policy);
  if (agreedPlan === undefined || agreedPlan === fingerprint) return;
  const why = isDrawnWith(policy, agreedPlan)
    ? `The fleet is not what it was when the plan ${agreedPlan} was shown`
    : `The plan ${agreedPlan} was drawn with another policy: other options, or another configuration`;
  throw new SteprollError(
    ErrorName.PlanChanged,
    `${why}. The plan would now be ${fingerprint}: look at it again.`,
  );
}
