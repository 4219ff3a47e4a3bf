import { parseStatusChange } from '../contract/execution-status.ts';
import { decideAbandoned } from '../domain/janitor/decide-abandoned.ts';
import type { DeadExecution } from '../domain/janitor/execution.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { AskedRequest } from '../domain/rollout.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { Ledger } from '../ports/ledger.ts';
import { rolloutOfExecution } from './execution-name.ts';
import { closeHearing } from './find-record.ts';
import { tellTheRest } from './tell.ts';

export interface JanitorContext {
  readonly ledger: Pick<
    Ledger,
    'read' | 'close' | 'listHeld' | 'listWaiting' | 'bury' | 'markSent' | 'listUnsent'
  >;
  readonly events: EventBus;
  readonly clock: Pick<Clock, 'now'>;
  readonly stateMachineArn: string;
  /** Told of every rollout that had been left open. */
  readonly report: (request: AskedRequest, outcome: Outcome) => void;
}

/** @throws `InvalidInput` for anything but the end of an execution of our own state machine. */
export async function handleStatusChange(event: unknown, context: JanitorContext): Promise<void> {
  const { executionName, input, execution } = parseStatusChange(event, context.stateMachineArn);
  await closeAbandoned(rolloutOfExecution(executionName, input), execution, context);
}

/**
 * Closes the rollout of a dead execution, unless its own last step did: then only the lease is given
 * back. Whoever comes second finds it closed. Answers whether it had been left open.
 *
 * To be called after the execution was seen to be dead: what is read here is then final, but for
 * functions that outlive their execution, and those the ledger refuses from here on.
 */
export async function closeAbandoned(
  rolloutId: string,
  execution: DeadExecution,
  { ledger, events, clock, report }: JanitorContext,
): Promise<boolean> {
  return closeHearing(rolloutId, ledger, async (record) => {
    const decision = decideAbandoned(execution, record);
    if (decision.next === 'bury') {
      await ledger.bury(rolloutId);
      return false;
    }
    const heard = record?.signals.length;
    const outcome = await ledger.close(rolloutId, decision.outcome, clock.now(), heard);
    if (outcome === null) return null;
    await tellTheRest(rolloutId, { ledger, events });
    const wasOpen = decision.next === 'close';
    if (wasOpen) report(decision.request, outcome);
    return wasOpen;
  });
}
