import {
  executionIn,
  handedOverIn,
  type Position,
  queuedInput,
  readHandedOver,
} from '../contract/flow/position.ts';
import {
  type ExecutionStart,
  parseExecution,
  parseRolloutInput,
  type RolloutInput,
  runtimeNamedIn,
} from '../contract/flow/rollout-input.ts';
import { startClock } from '../domain/clock.ts';
import { type Decision, waitAfter, waitFor } from '../domain/decision/decision.ts';
import {
  EVENTS_OF_OPENING,
  type ExecutionSoFar,
  eventsUntilNext,
} from '../domain/decision/hand-over.ts';
import { startWave } from '../domain/decision/next-rolls.ts';
import { sayDecision } from '../domain/decision/says.ts';
import { endRefused } from '../domain/ending/error.ts';
import { describeNothingToDo } from '../domain/ending/success.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { startedEvent } from '../domain/events/events.ts';
import { type Lease, leaseUntil } from '../domain/rollout/lease.ts';
import { acceptedAt } from '../domain/rollout/opening.ts';
import type { Ending } from '../domain/rollout/outcome.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import {
  type AskedRollout,
  activePlan,
  clockOf,
  hasBegun,
  type RolloutRecord,
  wasOpened,
} from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { isOpening } from '../domain/rollout/wait.ts';
import { beginWave, resumeProgress } from '../domain/wave/progress.ts';
import { holdsIn, listAhead } from './group/group-ahead.ts';
import { serviceOf } from './group/group-service.ts';
import { asProven } from './group/proven-starter.ts';
import { settleVersions } from './group/settle-versions.ts';
import { countOrHandOver, handOn, positionAfter } from './io/hand-on.ts';
import { rolloutOfExecution } from './io/names.ts';
import type { StepContext, StepPayload, VerifyPorts } from './io/ports.ts';
import { publishEvent } from './io/publish.ts';
import { findRecord } from './io/record.ts';
import { takeUp } from './io/take-up.ts';
import type { OpeningPorts } from './opening/condition.ts';
import { TO_OPEN } from './opening/conditions.ts';
import { firstRequest } from './opening/configured.ts';
import { toLatestRequest } from './opening/newest.ts';

type OpeningContext = VerifyPorts & Pick<StepContext, 'policyOf' | 'isOpenToOthers'>;

export function handleOpenRollout(payload: StepPayload, context: OpeningContext) {
  const { input, state } = payload;
  return openRollout({ ...parseExecution(payload), input, state }, context);
}

interface OpeningInput extends ExecutionStart {
  readonly input: unknown;
  /** The state of the workflow: a position after a wait for its turn. @default - the execution has just started */
  readonly state?: unknown;
}

/**
 * Records what was asked for, waits for the rollout's turn, takes the runtime's lease, reads the whole list and
 * freezes the plan. When it runs again for a rollout under way, because its answer was lost or its process died, it
 * goes on from the state in the ledger.
 *
 * A refusal is an answer, too: the rollout ends, and nothing has failed.
 *
 * @throws `RolloutNotFound` for the one to undo, and errors of the list that waiting does not mend.
 */
export async function openRollout(
  { input, state, ...start }: OpeningInput,
  context: OpeningContext,
): Promise<Position> {
  const rolloutId = rolloutOfExecution(start.rolloutId, input);
  const isFirst = rolloutId === start.rolloutId;
  const wanted = isFirst ? input : queuedInput(input);
  if (!isFirst && wanted === undefined) return takeOver(rolloutId, { input, ...start }, context);
  const soFar = executionIn(state);
  const execution = soFar ?? justStarted(start, isFirst ? 1 : numberAfter(input));
  // It goes on with the wait before which it was handed over.
  const position = isFirst || soFar !== null ? null : readHandedOver(input);
  if (position?.handOver) return goOnFrom(position, position.handOver, execution);
  const asked = readInput(wanted);
  if ('ending' in asked) {
    // Nobody can record it, and nobody has.
    const unknown = { rolloutId, runtimeId: runtimeNamedIn(wanted), epoch: 0 };
    return beforeThePlan({ next: 'close', ...asked }, unknown, execution);
  }
  const known =
    (await findRecord(rolloutId, context.ledger)) ??
    (await enlistFirst({ ...start, rolloutId }, asked, context));
  // Somebody took it back while it waited, or closed it.
  if (known.outcome !== null) {
    const { cleanup, ...ending } = known.outcome;
    return beforeThePlan({ next: 'close', ending }, leaseOf(known), execution);
  }
  const orHandOver = (position: Position) =>
    isOpening(position.next) ? countOrHandOver(position, context, wanted) : position;
  const ports = portsFor(known.request, context);
  const request = { endpointUrl: ports.service.url, ...known.request };
  if (wasOpened(known)) return goOn(await openAgain(known, ports), execution, ports);
  const answer = await TO_OPEN.firstNotGo({ ...known, request, input: asked }, ports);
  if ('next' in answer) {
    return orHandOver(beforeThePlan(answer, leaseOf(known), execution));
  }
  return begin(answer.met.lease, execution, ports);
}

/** @throws `LeaseHeld` while another process goes on with it, and `LeaseLost`. */
function openAgain({ request }: RolloutRecord, { ledger, clock }: OpeningPorts): Promise<Lease> {
  const now = clock.now();
  return ledger.open(request, now, leaseUntil(now));
}

function readInput(wanted: unknown): RolloutInput | { readonly ending: Ending } {
  try {
    return parseRolloutInput(wanted);
  } catch (error) {
    const ending = endRefused(error);
    if (ending === null) throw error;
    return { ending };
  }
}

function portsFor(request: AskedRequest, context: OpeningContext): OpeningPorts {
  const { service, groups, ledger, clock } = context;
  return {
    ...context,
    service: serviceOf(request, context, listAhead),
    settleGroup: (wanted) =>
      settleVersions(wanted, {
        service,
        planning: groups?.planning,
        holdsOf: holdsIn(() => ledger.listHolds(), clock, wanted),
      }),
  };
}

function openedOf(rollout: AskedRollout): RolloutRecord {
  if (wasOpened(rollout)) return rollout;
  throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no lease of this rollout.');
}

async function enlistFirst(
  start: ExecutionStart,
  asked: RolloutInput,
  context: OpeningContext,
): Promise<AskedRollout> {
  const request = firstRequest(start, asked, context);
  if (!context.isOpenToOthers) return enlist(request, context);
  return enlist(await asProven(request, start.startTime, context.ledger), context);
}

async function enlist(
  request: AskedRequest,
  { ledger, clock }: VerifyPorts,
): Promise<AskedRollout> {
  const now = clock.now();
  await ledger.enlist(request, acceptedAt(now), now);
  return ledger.read(request.rolloutId);
}

function beforeThePlan(decision: Decision, lease: Lease, execution: ExecutionSoFar): Position {
  return positionAfter(decision, lease, {
    direction: 'forward',
    wave: 0,
    execution,
    says: sayDecision(decision, null),
  });
}

function numberAfter(input: unknown): number {
  return (handedOverIn(input)?.number ?? 0) + 1;
}

function justStarted({ startTime }: ExecutionStart, number: number): ExecutionSoFar {
  return { number, startedAt: startTime, events: EVENTS_OF_OPENING };
}

/**
 * Goes on exactly where the previous execution handed over: nothing is decided anew, and no wait is cut short. A
 * position from another version of steproll cannot be understood; then the rollout goes on from the state in the
 * ledger, and so it does where others may start executions, whose position proves nothing.
 *
 * @throws `LeaseLost`
 */
async function takeOver(
  rolloutId: string,
  { input, ...start }: ExecutionStart & { readonly input: unknown },
  context: OpeningContext,
): Promise<Position> {
  const execution = justStarted(start, numberAfter(input));
  const position = readHandedOver(input);
  const record = openedOf(await context.ledger.read(rolloutId));
  const ports = portsFor(record.request, context);
  const lease = { ...leaseOf(record), ...(position && { epoch: position.epoch }) };
  if (position === null || position.handOver === null || context.isOpenToOthers) {
    await takeUp(ports, lease);
    return goOn(lease, execution, ports);
  }
  await takeUp(ports, position);
  return goOnFrom(position, position.handOver, execution);
}

function goOnFrom(
  position: Position,
  { next }: NonNullable<Position['handOver']>,
  execution: ExecutionSoFar,
): Position {
  const events = execution.events + eventsUntilNext(position.batches.length);
  return { ...position, next, handOver: null, execution: { ...execution, events } };
}

function leaseOf({ request, epoch }: AskedRollout): Lease {
  return { rolloutId: request.rolloutId, runtimeId: request.runtimeId, epoch };
}

/** Everybody hears that it has begun, and its first wave is rolled, on the list of its plan. */
async function begin(
  lease: Lease,
  execution: ExecutionSoFar,
  ports: OpeningPorts,
): Promise<Position> {
  const at = await announce(lease, execution, ports);
  return at.progress === null
    ? endWithNothingToDo(at, ports)
    : handOn(
        startWave({ ...at.record, journal: [] }, at.plan, 0, at.progress),
        { ...at, progress: at.progress },
        ports,
      );
}

/** A look at the list tells what was rolled, what is live, and what has failed meanwhile. */
async function goOn(
  lease: Lease,
  execution: ExecutionSoFar,
  ports: OpeningPorts,
): Promise<Position> {
  const at = await announce(lease, execution, ports);
  if (at.progress === null) return endWithNothingToDo(at, ports);
  const now = ports.clock.now();
  const progress = resumeProgress(at.progress, clockOf(at.record, now), now);
  const look = waitFor('second-look', progress, { seconds: 0 });
  await ports.ledger.saveProgress(lease, progress, waitAfter(look, progress, at.record.wait));
  return handOn(look, { ...at, progress }, ports);
}

/** Says that it has begun, also if an earlier run of this step has died before that. */
async function announce(lease: Lease, execution: ExecutionSoFar, ports: OpeningPorts) {
  const { ledger, clock } = ports;
  const now = clock.now();
  const known = openedOf(await ledger.read(lease.rolloutId));
  const plan = known.plan as RolloutPlan;
  // From now on an older rollout that still waits comes too late, whatever the end of this one is.
  if (hasBegun(known)) {
    const request = { endpointUrl: ports.service.url, ...known.request };
    await ledger.recordLatestRequest(toLatestRequest(request, null), now);
  }
  const events = await publishEvent(startedEvent(known.request, plan, now), known, lease, ports);
  const record = { ...known, ...events };
  return {
    record,
    plan: activePlan(record) as RolloutPlan,
    progress: record.progress,
    lease,
    execution,
  };
}

type Announced = Awaited<ReturnType<typeof announce>>;

function endWithNothingToDo(at: Announced, ports: OpeningPorts): Promise<Position> {
  const progress = beginWave(at.plan, 0, startClock(ports.clock.now()));
  const ending = describeNothingToDo(at.record.request, at.plan);
  return handOn({ next: 'close', ending }, { ...at, progress }, ports);
}
