import { decideStop, type KeepReason, type StopEvidence } from '../domain/contain/decide-stop.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import type { WriteResult } from '../domain/journal.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import type { WritePorts } from './step-ports.ts';

/** Times that one stop is sent when no answer comes back. */
const MAX_STOPS = 3;

/** How a stop ended, in the words of the journal. */
export interface StopResult {
  readonly result: WriteResult;
  readonly reason?: string;
  readonly message?: string;
}

export interface OldEndpoint extends Omit<StopEvidence, 'endpoints'> {
  /** Stops that an earlier run of the step may have sent. */
  readonly earlierStops: number;
}

/**
 * Stops one old endpoint, or keeps it. Before every try the whole list is read and the stop decided
 * anew, so an endpoint that went live meanwhile is not stopped.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopEndpoint(
  { earlierStops, ...known }: OldEndpoint,
  request: RolloutRequest,
  intend: () => Promise<void>,
  { service }: WritePorts,
): Promise<StopResult> {
  let unknown: StopResult = { result: 'unknown', reason: ErrorName.OutcomeUnknown };
  for (let sent = earlierStops; ; sent++) {
    const read = await readList(request.runtimeId, service);
    if ('unreadable' in read) return sent > 0 ? unknown : read.unreadable;
    const decision = decideStop({ ...known, ...read }, request.policy);
    if (!decision.stop) return keptOrDone(decision.reason, sent);
    if (sent >= MAX_STOPS) return unknown;
    await intend();
    try {
      await service.stop(request.runtimeId, known.planned.endpointId);
      return { result: 'accepted' };
    } catch (error) {
      const failure = { reason: errorNameOf(error), message: errorMessageOf(error) };
      if (failure.reason !== ErrorName.OutcomeUnknown) return { result: 'rejected', ...failure };
      unknown = { result: 'unknown', ...failure };
    }
  }
}

/**
 * An endpoint that is stopped after a stop in doubt was stopped by it. One that is not may still be:
 * the stop was sent, and cannot be called back.
 */
function keptOrDone(reason: KeepReason, sent: number): StopResult {
  if (sent === 0) return { result: 'kept', reason };
  return reason === 'stopped-already' ? { result: 'accepted' } : { result: 'unknown', reason };
}

type Read = Pick<StopEvidence, 'endpoints'> | { readonly unreadable: StopResult };

/** Without a complete list nothing is stopped. */
async function readList(runtimeId: string, service: EndpointService): Promise<Read> {
  try {
    return { endpoints: await service.list(runtimeId) };
  } catch (error) {
    const reason: KeepReason = 'list-unreadable';
    return { unreadable: { result: 'kept', reason, message: errorMessageOf(error) } };
  }
}
