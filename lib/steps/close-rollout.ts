import type { CloseInput } from '../contract/position.ts';
import { conclude } from '../domain/contain/conclude.ts';
import { endByError } from '../domain/contain/end-by-error.ts';
import { findOldEndpoints } from '../domain/contain/find-old-endpoints.ts';
import type { Ending } from '../domain/decision.ts';
import { ErrorName, errorNameOf } from '../domain/errors.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { StepPorts } from './step-ports.ts';

/**
 * Writes the outcome down and gives the lease back. The first outcome of a rollout is its only one:
 * run again, it answers what is stored. A rollout that never got the lease leaves no record.
 */
export async function closeRollout(input: CloseInput, ports: StepPorts): Promise<Outcome> {
  const { ledger, clock } = ports;
  const { rolloutId, state } = input;
  const ending = endingOf(state);
  const record = await readOrNull(rolloutId, ports);
  if (record === null) return conclude(ending, [], 0);
  const outcome = conclude(ending, record.journal, oldEndpointsOf(ending, input, record));
  return ledger.close(rolloutId, outcome, clock.now());
}

function endingOf({ error, ending }: CloseInput['state']): Ending {
  if (error !== undefined) return endByError(error.Error, messageOf(error.Cause));
  return ending ?? endByError(ErrorName.IncompatibleState, 'The rollout ended without a reason.');
}

/** Lambda wraps an error's message into JSON, the embedded engine hands it over as it is. */
function messageOf(cause = ''): string {
  try {
    const parsed: unknown = JSON.parse(cause);
    const isWrapped = typeof parsed === 'object' && parsed !== null && 'errorMessage' in parsed;
    return isWrapped ? String(parsed.errorMessage) : cause;
  } catch {
    return cause;
  }
}

/**
 * How many old endpoints the cleanup had to look at. Where nobody counted them, after an error or in
 * the middle of a cleanup, every endpoint that was rolled and not seen to converge may be one.
 */
function oldEndpointsOf(ending: Ending, { state }: CloseInput, record: RolloutRecord): number {
  const { request, plan, progress, journal } = record;
  if (request.policy.onFailure === 'hold' || plan === null || progress === null) return 0;
  const wasCut =
    state.error !== undefined ||
    ending.outcome === 'Errored' ||
    (ending.outcome === 'Aborted' && journal.some(({ operation }) => operation === 'stop'));
  return wasCut ? findOldEndpoints(record, plan, progress).length : (state.oldEndpoints ?? 0);
}

async function readOrNull(rolloutId: string, { ledger }: StepPorts): Promise<RolloutRecord | null> {
  try {
    return await ledger.read(rolloutId);
  } catch (error) {
    if (errorNameOf(error) === ErrorName.RolloutNotFound) return null;
    throw error;
  }
}
