import { parseStatusChange } from '../contract/flow/execution-status.ts';
import { decideAbandoned } from '../domain/ending/abandoned.ts';
import { type DeadExecution, type Execution, isDead } from '../domain/ending/execution.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import { wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenBus } from '../ports/event-bus.ts';
import type { HeldLease, Ledger } from '../ports/ledger.ts';
import { executionNameOf, nextExecutionOf, rolloutOfExecution } from '../steps/io/names.ts';
import { publishOverdue, publishRest } from '../steps/io/publish.ts';
import { closeOnLatestRecord } from '../steps/io/record.ts';
import { tellHolds } from '../steps/io/tell-holds.ts';

export interface JanitorContext {
  readonly ledger: Ledger;
  readonly events: OpenBus;
  readonly clock: Pick<Clock, 'now'>;
  readonly stateMachineArn: string;
  readonly describeExecution: (executionName: string) => Promise<Execution>;
  /** Is called for every rollout that had been left open. */
  readonly report: (request: AskedRequest, outcome: Outcome) => void;
}

/**
 * Closes the rollout of an execution that has ended, unless it had handed over before: then the rollout is that of the
 * next execution.
 *
 * @throws `InvalidInput` for every event that is not the end of an execution of our own state machine.
 */
export async function handleStatusChange(event: unknown, context: JanitorContext): Promise<void> {
  const { executionName, input, execution } = parseStatusChange(event, context.stateMachineArn);
  const next = await context.describeExecution(nextExecutionOf(executionName, input));
  if (next.status !== 'NOT_FOUND') return;
  await closeAbandoned(rolloutOfExecution(executionName, input), execution, context);
}

/**
 * Closes the rollout of a dead execution. If its own last step has closed it, only the lease is given back. Whoever
 * comes second finds it closed. Answers whether it had been left open.
 *
 * This must be called after the execution was seen to be dead. Then the record that is read here is final, except for
 * functions that outlive their execution, and the ledger refuses those from here on.
 */
export async function closeAbandoned(
  rolloutId: string,
  execution: DeadExecution,
  { ledger, events, clock, report }: JanitorContext,
): Promise<boolean> {
  return closeOnLatestRecord(rolloutId, ledger, async (record) => {
    const decision = decideAbandoned(execution, record);
    if (decision.next === 'bury') {
      await ledger.bury(rolloutId);
      return false;
    }
    const read = record?.signals;
    const outcome = await ledger.close(rolloutId, decision.outcome, clock.now(), read);
    if (outcome === null) return null;
    await publishRest(rolloutId, { ledger, events });
    const wasOpen = decision.next === 'close';
    if (wasOpen) report(decision.request, outcome);
    return wasOpen;
  });
}

/**
 * Repairs what lost ends and lost answers have left behind: closes the rollouts whose executions are dead, and
 * publishes the events of rollouts and holds that were not sent. When one rollout fails, the others still have their turn.
 * Answers how many rollouts it has looked at, how many had been left open, and how many holds had untold events.
 *
 * @throws the first error, after all had their turn. The next sweep tries the failed ones again.
 */
export async function sweep(context: JanitorContext) {
  const { ledger } = context;
  const leases = await ledger.listHeld();
  const waiting = await ledger.listWaiting();
  const untold = await ledger.listUnsent();
  const closings = await inTurn(leases, (lease) => closeIfDead(lease, context));
  const endings = await inTurn(waiting, (rolloutId) => closeIfNeverBegun(rolloutId, context));
  const publishings = await inTurn(untold, (rolloutId) => publishOrThrow(rolloutId, context));
  const tellings = await inTurn([context], tellHolds);
  for (const { errors } of [closings, endings, publishings, tellings])
    for (const error of errors) throw error;
  const closed = [...closings.answers, ...endings.answers].filter((wasOpen) => wasOpen).length;
  const [untoldHolds = 0] = tellings.answers;
  const found = { held: leases.length, waiting: waiting.length, untold: untold.length };
  return { ...found, closed, untoldHolds };
}

async function closeIfDead(
  { rolloutId, leaseUntil }: HeldLease,
  context: JanitorContext,
): Promise<boolean> {
  const execution = await describeNewest(rolloutId, context);
  const isOver = isDead(execution, leaseUntil, context.clock.now());
  return isOver && closeAbandoned(rolloutId, execution, context);
}

/** Describes the latest execution of a rollout. However an execution has ended, it may have handed over before. */
async function describeNewest(
  rolloutId: string,
  { describeExecution }: Pick<JanitorContext, 'describeExecution'>,
): Promise<Execution> {
  let newest = await describeExecution(rolloutId);
  const hasEnded = () => newest.status !== 'RUNNING' && newest.status !== 'NOT_FOUND';
  for (let number = 2; hasEnded(); number += 1) {
    const next = await describeExecution(executionNameOf(rolloutId, number));
    if (next.status === 'NOT_FOUND') break;
    newest = next;
  }
  return newest;
}

/** When the answer of a start is lost, the sender of the trigger may start the rollout again for this long. */
const STARTING_MS = 600_000;

async function closeIfNeverBegun(rolloutId: string, context: JanitorContext): Promise<boolean> {
  const rollout = await context.ledger.read(rolloutId);
  // The index may be some seconds old: this rollout has a lease by now, or has ended.
  if (rollout.outcome !== null || wasOpened(rollout)) return false;
  const execution = await describeNewest(rolloutId, context);
  const isOver = isDead(execution, rollout.startedAt + STARTING_MS, context.clock.now());
  return isOver && closeAbandoned(rolloutId, execution, context);
}

async function publishOrThrow(rolloutId: string, context: JanitorContext): Promise<void> {
  const cause = await publishOverdue(rolloutId, context);
  if (cause === null) return;
  throw new SteprollError(
    ErrorName.EventsUnavailable,
    `What happened to rollout ${JSON.stringify(rolloutId)} could not be told: ${cause.message}`,
    { cause },
  );
}

async function inTurn<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly errors: readonly unknown[] }> {
  const answers: Answer[] = [];
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      answers.push(await work(item));
    } catch (error) {
      errors.push(error);
    }
  }
  return { answers, errors };
}
