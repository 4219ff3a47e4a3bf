import { decideStop, type KeepReason, type StopEvidence } from '../domain/contain/decide-stop.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import type { RolloutRequest, WriteResult } from '../domain/rollout.ts';
import type { StepPorts } from './step-ports.ts';

/** Times that one stop is sent when no answer comes back. */
const MAX_STOPS = 3;

/** How a stop ended, in the words of the journal. */
export interface StopResult {
  readonly result: WriteResult;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Stops one old endpoint, or keeps it. Before every try the whole list is read and the stop decided
 * anew, so an endpoint that went live meanwhile is not stopped.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopEndpoint(
  known: Omit<StopEvidence, 'endpoints'>,
  request: RolloutRequest,
  intend: () => Promise<void>,
  { service }: StepPorts,
): Promise<StopResult> {
  let unknown: StopResult | undefined;
  for (let attempt = 1; attempt <= MAX_STOPS; attempt++) {
    try {
      const endpoints = await service.list(request.runtimeId);
      const decision = decideStop({ ...known, endpoints }, request.desiredVersion, request.policy);
      if (!decision.stop) return keptOrDone(decision.reason, unknown);
      await intend();
      await service.stop(request.runtimeId, known.planned.endpointId);
      return { result: 'accepted' };
    } catch (error) {
      const reason = errorNameOf(error);
      if (reason === ErrorName.LeaseLost) throw error;
      const failure = { reason, message: errorMessageOf(error) };
      if (reason !== ErrorName.OutcomeUnknown) return { result: 'rejected', ...failure };
      unknown = { result: 'unknown', ...failure };
    }
  }
  return unknown ?? { result: 'not-sent' };
}

/** An endpoint that is stopped after a stop in doubt was stopped by it. */
function keptOrDone(reason: KeepReason, earlier: StopResult | undefined): StopResult {
  const isOurs = earlier !== undefined && reason === 'stopped-already';
  return isOurs ? { result: 'accepted' } : { result: 'kept', reason };
}
