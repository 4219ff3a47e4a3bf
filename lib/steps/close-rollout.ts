import type { CloseInput } from '../contract/position.ts';
import { conclude } from '../domain/contain/conclude.ts';
import { endByError } from '../domain/contain/end-by-error.ts';
import type { Ending } from '../domain/decision.ts';
import { ErrorName, errorNameOf } from '../domain/errors.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../domain/judge/roll-history.ts';
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
 * How many old endpoints the cleanup had to look at. After an error nobody counted them: every
 * endpoint that was rolled and not seen to converge may be one, unless the policy is to hold.
 */
function oldEndpointsOf(ending: Ending, { state }: CloseInput, record: RolloutRecord): number {
  if (record.request.policy.onFailure === 'hold') return 0;
  if (ending.outcome !== 'Errored') return state.oldEndpoints ?? 0;
  return Math.max(state.oldEndpoints ?? 0, countUnsettled(record));
}

function countUnsettled({ plan, progress, journal }: RolloutRecord): number {
  if (plan === null || progress === null) return 0;
  const histories = rollHistories(journal);
  const { from = 0, to = 0 } = plan.waves[progress.wave] ?? {};
  return plan.endpoints.slice(from, to).filter(({ endpointId }, index) => {
    const state = progress.observations[index]?.state;
    return state !== 'converged' && wasSent(histories.get(endpointId) ?? NO_ROLLS);
  }).length;
}

async function readOrNull(rolloutId: string, { ledger }: StepPorts): Promise<RolloutRecord | null> {
  try {
    return await ledger.read(rolloutId);
  } catch (error) {
    if (errorNameOf(error) === ErrorName.RolloutNotFound) return null;
    throw error;
  }
}
