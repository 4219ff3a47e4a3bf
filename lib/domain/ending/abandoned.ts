import { countOldEndpoints } from '../containment/old-endpoints.ts';
import { ErrorName } from '../errors.ts';
import { nounOf } from '../rollout/group.ts';
import type { Ending, Outcome } from '../rollout/outcome.ts';
import { type AskedRollout, activePlan, type RolloutRecord, wasOpened } from '../rollout/record.ts';
import { type AskedRequest, describeWanted } from '../rollout/request.ts';
import { countOf } from '../sentences.ts';
import { endingAsTold } from '../signals/signals.ts';
import { conclude, leftUndone } from './conclude.ts';
import { errored } from './error.ts';
import type { DeadExecution } from './execution.ts';

/**
 * What is done about a rollout whose execution is dead.
 * - `bury`: nobody has recorded the rollout, and it must never be opened.
 * - `give-back`: the rollout was closed, but its lease may not have been given back.
 * - `close`: nobody closed the rollout.
 */
type AbandonedDecision =
  | { readonly next: 'bury' }
  | { readonly next: 'give-back'; readonly outcome: Outcome }
  | { readonly next: 'close'; readonly outcome: Outcome; readonly request: AskedRequest };

/**
 * Decides about a rollout that its dead execution may have left open. Nothing is rolled or stopped for it; the
 * outcome says what was found.
 *
 * @param record The record, read after the execution was seen to be dead; `null` when nobody has recorded the
 *   rollout.
 */
export function decideAbandoned(
  execution: DeadExecution,
  record: AskedRollout | null,
): AbandonedDecision {
  if (record === null) return { next: 'bury' };
  if (record.outcome !== null) return { next: 'give-back', outcome: record.outcome };
  const outcome = concludeLeft(endingOfDead(execution, wasOpened(record)), record);
  return { next: 'close', outcome, request: record.request };
}

/** The outcome of a rollout that let its lease run out, when another rollout took its runtime. */
export function concludeTakenOver(record: AskedRollout, takenBy: string): Outcome {
  const message = `Its process died or stood still, and rollout ${JSON.stringify(takenBy)} has taken the runtime over.`;
  return concludeLeft(errored(ErrorName.LeaseLost, message), record);
}

/** Of a rollout that nobody goes on with: an accepted abort decides it, and the message says what was found. */
function concludeLeft(decided: Ending, record: AskedRollout): Outcome {
  const ending = endingAsTold(decided, record);
  if (!wasOpened(record)) {
    return { ...ending, cleanup: 'none', message: `${ending.message} Nothing was rolled.` };
  }
  const message = `${ending.message} ${describePlace(record)}${describeRolled(record)}`;
  return conclude({ ...ending, message }, record, leftUndone(ending, record, true));
}

function endingOfDead({ status, error }: DeadExecution, hadLease: boolean): Ending {
  switch (status) {
    case 'ABORTED':
      return {
        outcome: 'Aborted',
        reason: 'ExecutionAborted',
        message: 'The execution was stopped from outside.',
      };
    case 'TIMED_OUT':
      return errored('TimedOut', 'The execution ran into its time limit.');
    case 'FAILED':
      return errored(
        'ExecutionFailed',
        `The execution failed${error === undefined ? '' : ` with ${error}`}.`,
      );
    case 'NOT_FOUND':
      return errored(
        'ExecutionNotFound',
        hadLease
          ? 'The lease ran out, and there is no such execution.'
          : 'There is no such execution.',
      );
    case 'SUCCEEDED':
      return errored('ExecutionWithoutOutcome', 'The execution ended and left no outcome.');
    default:
      return status satisfies never;
  }
}

function describePlace(record: RolloutRecord): string {
  const plan = activePlan(record);
  const { progress, rollback } = record;
  if (plan === null || progress === null) return 'Nothing was rolled yet.';
  if (rollback !== null) return `It was on its way back. ${rollback.cause.message}`;
  return `It was in wave ${progress.wave + 1} of ${plan.waves.length}.`;
}

function describeRolled(record: RolloutRecord): string {
  const { request } = record;
  const count = countOldEndpoints(record);
  if (count === 0) return '';
  const were = count === 1 ? 'was' : 'were';
  return ` ${countOf(count, nounOf(request.runtimeId))} ${were} rolled and not seen live on ${describeWanted(request)}.`;
}
