import type { Ending } from '../domain/decision.ts';
import type { Outcome } from '../domain/outcome.ts';
import { closeRollout } from '../steps/close-rollout.ts';
import { type ExecutionResult, runWorkflow, type WorkflowRun } from './run-workflow.ts';

/**
 * Runs a rollout from its start to its end in this process and answers its outcome. When the signal
 * aborts, the step that is under way is finished, the endpoints stay as they are and the rollout
 * ends as Aborted.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startRollout(rollout: WorkflowRun): Promise<Outcome> {
  return concludeRun(rollout, await runWorkflow(rollout));
}

/**
 * The same, but a rollout whose signal aborts is left open for the process that resumes it: `null`.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startOrLeaveRollout(rollout: WorkflowRun): Promise<Outcome | null> {
  const result = await runWorkflow(rollout);
  const isLeft = result.status === 'ABORTED' && result.outcome === null;
  return isLeft ? null : concludeRun(rollout, result);
}

/** The workflow writes the outcome, unless it was ended before that. */
async function concludeRun(
  { rolloutId, context }: WorkflowRun,
  { status, outcome, epoch }: ExecutionResult,
): Promise<Outcome> {
  if (outcome !== null) return outcome;
  return closeRollout({ rolloutId, state: { ending: endingOf(status), epoch } }, context);
}

function endingOf(status: string): Ending {
  return status === 'ABORTED'
    ? {
        outcome: 'Aborted',
        reason: 'Interrupted',
        message: 'Interrupted: endpoints in mid-roll go on by themselves.',
      }
    : { outcome: 'Errored', reason: status, message: `The workflow ended as ${status}.` };
}
