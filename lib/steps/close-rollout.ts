import { type CloseInput, type Position, parseClose } from '../contract/flow/position.ts';
import { CONTAINMENTS } from '../domain/containment/failure-policies.ts';
import type { Decision } from '../domain/decision/decision.ts';
import { decideLateAbort } from '../domain/decision/interruption.ts';
import {
  conclude,
  type LeftUndone,
  leftUndone,
  withoutCleanup,
} from '../domain/ending/conclude.ts';
import { addLost, describeLost } from '../domain/ending/crash.ts';
import { endByCrash, GOES_ON_ELSEWHERE, UNEXPLAINED, unlessBegun } from '../domain/ending/error.ts';
import { ErrorName } from '../domain/errors.ts';
import { type Ending, nameOfOutcome, type Outcome } from '../domain/rollout/outcome.ts';
import { type AskedRollout, type RolloutRecord, wasOpened } from '../domain/rollout/record.ts';
import { isOpening } from '../domain/rollout/wait.ts';
import { endingAsTold, failurePolicyOf } from '../domain/signals/signals.ts';
import { runtimesWithStops } from './group/children.ts';
import { type DecidedAt, handOn } from './io/hand-on.ts';
import { rolloutOfExecution } from './io/names.ts';
import type { RecordPorts, StepPayload } from './io/ports.ts';
import { publishRest } from './io/publish.ts';
import { closeOnLatestRecord, isNotOurs, takeLease } from './io/record.ts';
import { tellOfRefusal } from './io/tell-refusal.ts';

export function handleCloseRollout(payload: StepPayload, context: RecordPorts) {
  return closeOrFollow(parseClose(payload), context);
}

/** The outcome is stored, and the workflow is over. */
type Closed = Outcome & { readonly next: 'end'; readonly says: string };

/**
 * The last step of the workflow: closes the rollout. When an abort was accepted meanwhile that asks for more, it
 * answers the position from which the workflow follows the abort.
 */
async function closeOrFollow(input: CloseInput, ports: RecordPorts): Promise<Closed | Position> {
  return closeOnLatestRecord<Closed | Position>(rolloutOf(input), ports.ledger, async (record) => {
    const late =
      record !== null && wasOpened(record) ? findLateAbort(input.state, record) : undefined;
    if (late !== undefined) return handOn(late.decision, late.at, ports);
    const outcome = await closeAsRead(input, record, ports);
    return outcome && { next: 'end', says: `Ended as ${nameOfOutcome(outcome)}`, ...outcome };
  });
}

/** After an error nothing more is written. */
function findLateAbort(
  state: CloseInput['state'],
  record: RolloutRecord,
): { readonly decision: Decision; readonly at: DecidedAt } | undefined {
  const { plan, progress, request, epoch, outcome } = record;
  const { execution } = state;
  if (outcome !== null || state.error !== undefined) return undefined;
  if (state.epoch !== undefined && state.epoch < epoch) return undefined;
  const decision = decideLateAbort(
    record,
    endingOf(state),
    state.next === 'contain' ? state : undefined,
  );
  if (decision === undefined || plan === null || progress === null) return undefined;
  if (execution === undefined) return undefined;
  const { rolloutId, runtimeId } = request;
  const lease = { rolloutId, runtimeId, epoch };
  return { decision, at: { record, plan, progress, lease, execution } };
}

/**
 * Writes down the outcome and gives back the lease. A rollout has only one outcome, the first: when the step runs
 * again, it answers the stored one. A rollout that was refused before it got the lease is closed as well, but a
 * request that was never valid has no record. When another process has the rollout, that process closes it; then this
 * step answers the stored outcome, or that the rollout goes on there. An abort that was accepted makes the outcome
 * Aborted.
 */
export async function closeRollout(input: CloseInput, ports: RecordPorts): Promise<Outcome> {
  return closeOnLatestRecord(rolloutOf(input), ports.ledger, (record) =>
    closeAsRead(input, record, ports),
  );
}

/** `null`: by then the rollout had signals that the record did not have yet. */
async function closeAsRead(
  input: CloseInput,
  record: AskedRollout | null,
  ports: RecordPorts,
): Promise<Outcome | null> {
  const { ledger, clock } = ports;
  const { state } = input;
  const rolloutId = rolloutOf(input);
  const said = endingOf(state);
  if (record === null) return withoutCleanup(said);
  const decided = unlessBegun(said, record);
  if (record.outcome === null && wasOpened(record) && !(await isOurs(record, state, ports))) {
    if (said.reason === ErrorName.LeaseHeld) return withoutCleanup(said);
    // Whoever has the lease now may have closed the rollout since it was read. Then the stored outcome is answered.
    const latest = await ledger.read(rolloutId);
    if (latest === null || latest.outcome === null) return withoutCleanup(GOES_ON_ELSEWHERE);
  }
  const ending = endingAsTold(decided, record);
  const withStops = await runtimesWithStops(record, ledger);
  const concluded = conclude(ending, record, undoneBy(ending, input, record), withStops);
  const outcome = { ...concluded, ...(await tellOfRefusal(record.request, ending, ports)) };
  const stored = await ledger.close(rolloutId, outcome, clock.now(), record.signals);
  if (stored !== null) await publishRest(rolloutId, ports);
  return stored;
}

/** The name of an execution tells its rollout, unless another execution handed over to it. */
function rolloutOf({ rolloutId, input }: CloseInput): string {
  return rolloutOfExecution(rolloutId, input);
}

/**
 * Whether the lease of an open rollout is ours to give back. A run that failed while it opened the rollout does not
 * know which epoch it got, if any: the ledger knows.
 */
async function isOurs(
  record: RolloutRecord,
  state: CloseInput['state'],
  ports: RecordPorts,
): Promise<boolean> {
  if (isNotOurs(state.error?.Error ?? state.ending?.reason)) return false;
  // After a wait for its turn, the position is older than the lease that the rollout may have got since.
  if (state.epoch !== undefined && !isOpening(state.next)) return state.epoch >= record.epoch;
  return takeLease(record, ports);
}

function endingOf(state: CloseInput['state']): Ending {
  const { error, ending, next, batches = [] } = state;
  if (error !== undefined) return endByCrash(error.Error, messageOf(error.Cause), stepAfter(state));
  const decided = ending ?? UNEXPLAINED;
  // Only stops come between the decision to end and the end.
  const lost =
    next === 'contain'
      ? addLost(
          undefined,
          batches.flatMap((one) => one.lost ?? []),
        )
      : undefined;
  if (lost === undefined) return decided;
  return { ...decided, message: `${decided.message} ${describeLost('stop', lost)}` };
}

/** Which step had a position when it failed: the one that the workflow goes to from there. */
function stepAfter({ next, onFailure = 'hold' }: CloseInput['state']): string {
  if (next === 'roll' || next?.startsWith('look-')) return 'the function look';
  switch (next) {
    case 'contain':
      return CONTAINMENTS[onFailure].write === 'roll-back'
        ? 'the function turnAround'
        : 'the function stop';
    case 'hand-over':
      return 'the start of the next execution';
    default:
      return 'the function openRollout';
  }
}

/** Lambda wraps the message of an error into JSON; the embedded engine passes it on as it is. */
function messageOf(cause = ''): string {
  try {
    const parsed: unknown = JSON.parse(cause);
    const isWrapped = typeof parsed === 'object' && parsed !== null && 'errorMessage' in parsed;
    return isWrapped ? String(parsed.errorMessage) : cause;
  } catch {
    return cause;
  }
}

/** A cleanup that came to its end has counted the old endpoints that it had to look at, unless it is to hold. */
function undoneBy(ending: Ending, { state }: CloseInput, record: AskedRollout): LeftUndone {
  const isBroken = state.error !== undefined;
  const wasCut =
    isBroken ||
    ending.outcome === 'Errored' ||
    (ending.outcome === 'Aborted' && record.journal.some(({ operation }) => operation === 'stop'));
  if (wasCut) return leftUndone(ending, record, isBroken);
  const isHeld = !wasOpened(record) || CONTAINMENTS[failurePolicyOf(record)].write === null;
  return { stops: isHeld ? 0 : (state.oldEndpoints ?? 0), back: [] };
}
