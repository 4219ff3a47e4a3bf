import { type Batch, POSITION_VERSION, type Position } from '../../contract/flow/position.ts';
import { containAsTold, type Decision } from '../../domain/decision/decision.ts';
import {
  decideHandOver,
  EXECUTION_LIMITS,
  type ExecutionSoFar,
  eventsUntilNext,
} from '../../domain/decision/hand-over.ts';
import {
  decideAbort,
  decideGiveWay,
  decideUnreadable,
  isWorthWaiting,
} from '../../domain/decision/interruption.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { eventOfDecision } from '../../domain/events/events.ts';
import {
  MAX_BATCHES,
  ROLL_BATCH_SIZE,
  STOP_BATCH_SIZE,
  toBatches,
  toSpans,
} from '../../domain/planning/batches.ts';
import { type Lease, leaseUntil, SHORT_WAIT_SECONDS } from '../../domain/rollout/lease.ts';
import type { PlanRange, RolloutPlan } from '../../domain/rollout/plan.ts';
import {
  activePlan,
  type RolloutRecord,
  type WaveProgress,
  wasOpened,
} from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { beginWave } from '../../domain/wave/progress.ts';
import { executionNameOf } from './execution-name.ts';
import type { RecordPorts, StepPorts } from './ports.ts';
import { publishEvent } from './publish.ts';
import { readList } from './read-list.ts';
import { signalsThatCount } from './signals.ts';

/** Where a rollout was when a decision was made. */
export interface DecidedAt {
  readonly record: Pick<RolloutRecord, 'request' | 'events' | 'unsent'>;
  /** The plan that is followed now. */
  readonly plan: RolloutPlan;
  readonly progress: Pick<WaveProgress, 'direction' | 'wave'>;
  readonly lease: Lease;
  readonly execution: ExecutionSoFar;
}

/**
 * Publishes the event of a decision and hands the decision to the workflow's next state. The lease is extended over a
 * long wait that follows, and no further: so a rollout that died frees its runtime soon after its next step was due.
 * An execution that comes near a limit of Step Functions hands over to the next one, which goes on from the same
 * position.
 *
 * @throws `LeaseLost`
 */
export async function handOn(
  decision: Decision,
  { record, plan, progress, lease, execution }: DecidedAt,
  ports: RecordPorts,
): Promise<Position> {
  const { ledger, clock } = ports;
  const { request } = record;
  const event = eventOfDecision(decision, { request, plan, wave: progress.wave }, clock.now());
  if (event !== null) await publishEvent(event, record, lease, ports);
  const { direction, wave } = progress;
  const position = positionAfter(decision, request, lease, { direction, wave, execution });
  if (position.waitSeconds > SHORT_WAIT_SECONDS) {
    await ledger.renew(lease, leaseUntil(clock.now(), position.waitSeconds));
  }
  return countOrHandOver(position, ports);
}

function countOrHandOver(
  position: Position,
  { clock, executionLimits = EXECUTION_LIMITS }: Pick<RecordPorts, 'clock' | 'executionLimits'>,
): Position {
  const { next, waitSeconds, batches, rolloutId } = position;
  const events = position.execution.events + eventsUntilNext(batches.length);
  const execution = { ...position.execution, events };
  const handedOver = decideHandOver(execution, next, waitSeconds, clock.now(), executionLimits);
  if (handedOver === null) return { ...position, execution };
  const executionName = executionNameOf(rolloutId, execution.number + 1);
  return { ...position, next: 'hand-over', handOver: { executionName, next: handedOver } };
}

/** One look at a wave: a complete list, or what follows without one. */
type WaveLook = { readonly before: WaveProgress } & (
  | {
      readonly endpoints: readonly Endpoint[];
      readonly now: number;
      /** Milliseconds that were meant to pass since the last look: the planned wait and the time of this read. */
      readonly meantMs: number;
    }
  | { readonly decision: Decision }
);

/**
 * Reads the list for the wave that the ledger is at. The position may be older than that, when a step ran and its
 * answer got lost. Then the answer is still about the wave that is watched now. Once the rollout has told that it
 * fails, no list can change that, and none is read.
 *
 * @throws errors of the list that waiting does not mend, such as `UpstreamAuth`.
 */
export async function readWave(
  next: 'wait' | 'bake',
  { runtimeId, rolloutId, epoch, wave, direction, waitSeconds }: Position,
  record: RolloutRecord,
  plan: RolloutPlan,
  { service, ledger, clock }: StepPorts,
): Promise<WaveLook> {
  const { progress, request } = record;
  const { policy } = request;
  const isKnown = progress?.direction === plan.direction;
  const before = isKnown ? progress : beginWave(plan, 0, clock.now());
  const told = containAsTold(record, plan, before);
  if (told !== undefined) return { before, decision: told };
  if (before.direction !== direction || before.wave !== wave) {
    return { before, decision: { next: 'wait', seconds: policy.pollSeconds } };
  }
  const startedAt = clock.now();
  const meantMs = () => waitSeconds * 1000 + readMsOf(clock.now() - startedAt);
  try {
    const endpoints = await readList(record, service);
    return { before, endpoints, now: clock.now(), meantMs: meantMs() };
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    const unreadableMs =
      before.unreadableMs === null ? 0 : triedFor(before, clock.now(), meantMs());
    const looked = { ...before, unreadableMs, looks: before.looks + 1 };
    await ledger.saveProgress({ runtimeId, rolloutId, epoch }, looked);
    const asked = decideAbort(record, plan, looked) ?? decideGiveWay(record, plan);
    if (asked !== undefined) return { before: looked, decision: asked };
    return { before: looked, decision: decideUnreadable(error, next, unreadableMs, policy) };
  }
}

/**
 * Milliseconds since reads began to fail. It adds up the meant times and not those of the clock: a machine that slept
 * has not tried to read. A step that ran twice has not waited twice.
 */
function triedFor({ unreadableMs, readAt }: WaveProgress, now: number, meantMs: number): number {
  const triedMs = (unreadableMs ?? 0) + meantMs;
  return now >= readAt ? Math.min(triedMs, now - readAt) : triedMs;
}

/** No step lives longer. If more time has passed, the machine slept or the clock jumped. */
const LONGEST_READ_MS = 120_000;

function readMsOf(passedMs: number): number {
  return passedMs >= 0 && passedMs <= LONGEST_READ_MS ? passedMs : 0;
}

/**
 * Takes up the rollout from the state in the ledger: reads the record, and proves and extends the lease. Answers the
 * plan that is followed now, which is that of the rollback once there is one.
 *
 * @throws `LeaseLost`, `IncompatibleState` when the plan is missing.
 */
export async function resume(
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
  { runtimeId, rolloutId, epoch }: Lease,
): Promise<{ lease: Lease; record: RolloutRecord; plan: RolloutPlan }> {
  const lease = { runtimeId, rolloutId, epoch };
  const known = await ledger.read(rolloutId);
  if (!wasOpened(known)) {
    throw new SteprollError(ErrorName.IncompatibleState, 'This rollout was never opened.');
  }
  const record = { ...known, signals: await signalsThatCount(known.signals, { ledger, clock }) };
  await ledger.renew(lease, leaseUntil(clock.now()));
  const plan = activePlan(record);
  if (plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  return { lease, record, plan };
}

interface Place {
  readonly direction: Direction;
  readonly wave: number;
  readonly execution: ExecutionSoFar;
}

/** The position after a decision: the state that the workflow carries to its next state. */
export function positionAfter(
  decision: Decision,
  { policy }: Pick<AskedRequest, 'policy'>,
  lease: Lease,
  { direction, wave, execution }: Place,
): Position {
  const position: Position = {
    schemaVersion: POSITION_VERSION,
    rolloutId: lease.rolloutId,
    runtimeId: lease.runtimeId,
    epoch: lease.epoch,
    direction,
    wave,
    next: decision.next,
    // As long as its policy is not known, the rollout has rolled nothing.
    onFailure: policy?.onFailure ?? 'hold',
    waitSeconds: 0,
    batches: [],
    oldEndpoints: 0,
    ending: null,
    execution,
    handOver: null,
  };
  const batchesOf = (ranges: readonly PlanRange[]): Batch[] =>
    ranges.map((range) => ({ schemaVersion: POSITION_VERSION, ...lease, direction, ...range }));
  switch (decision.next) {
    case 'queue':
    case 'wait':
    case 'bake':
      return { ...position, waitSeconds: decision.seconds };
    case 'roll': {
      const batches = batchesOf(toBatches(decision.positions, ROLL_BATCH_SIZE, MAX_BATCHES));
      return { ...position, wave: decision.wave, waitSeconds: decision.seconds, batches };
    }
    case 'contain': {
      const { ending, onFailure, oldEndpoints } = decision;
      const batches = batchesOf(toSpans(oldEndpoints, STOP_BATCH_SIZE));
      return { ...position, onFailure, batches, oldEndpoints: oldEndpoints.length, ending };
    }
    case 'close':
      return { ...position, ending: decision.ending };
    default:
      return decision satisfies never;
  }
}
