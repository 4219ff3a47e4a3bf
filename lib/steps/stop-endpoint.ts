import {
  type CallOff,
  decideStop,
  type KeepReason,
  type StopEvidence,
} from '../domain/contain/decide-stop.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import type { WriteResult } from '../domain/journal.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { isFresh } from './keep-lease.ts';
import { readList } from './read-list.ts';
import type { WritePorts } from './step-ports.ts';

/** Times that one stop is sent when no answer comes back. */
const MAX_STOPS = 3;

/** How a stop ended, in the words of the journal. */
export interface StopResult {
  readonly result: WriteResult;
  readonly reason?: string;
  readonly message?: string;
}

export interface OldEndpoint extends Omit<StopEvidence, 'endpoints' | 'now'> {
  /** Grows with every stop that is sent. */
  readonly stopSent: Set<string>;
  /** Stops that an earlier run of the step may have sent. */
  readonly earlierStops: number;
}

/**
 * Stops one old endpoint, or keeps it. Before every try the whole list is read and the stop decided
 * anew, so an endpoint that went live meanwhile is not stopped.
 *
 * @param intend Writes the intention down; answers what has called the stop off by then.
 * @throws `LeaseLost` before anything is written.
 */
export async function stopEndpoint(
  { earlierStops, ...known }: OldEndpoint,
  record: RolloutRecord,
  intend: () => Promise<CallOff | undefined>,
  { service, clock }: WritePorts,
): Promise<StopResult> {
  let unknown: StopResult = { result: 'unknown', reason: ErrorName.OutcomeUnknown };
  let sent = earlierStops;
  while (true) {
    const read = await tryToRead(record, service);
    if ('unreadable' in read) return keptOrUnknown(read.unreadable, sent, unknown);
    const now = clock.now();
    const decision = decideStop({ ...known, ...read, now }, record.request.policy);
    if (!decision.stop) return keptOrDone(decision.reason, sent);
    if (sent >= MAX_STOPS) return unknown;
    const calledOff = await intend();
    if (calledOff !== undefined) return keptOrDone(calledOff, sent);
    // The process stood still since: the endpoint may be live by now, and the lease somebody else's.
    if (!isFresh(now, clock.now())) continue;
    sent += 1;
    const answer = await send(record.request.runtimeId, known.planned.endpointId, service);
    if (answer.result !== 'unknown') return answer;
    unknown = answer;
  }
}

function keptOrUnknown(kept: StopResult, sent: number, unknown: StopResult): StopResult {
  return sent > 0 ? unknown : kept;
}

async function send(
  runtimeId: string,
  endpointId: string,
  service: EndpointService,
): Promise<StopResult> {
  try {
    await service.stop(runtimeId, endpointId);
    return { result: 'accepted' };
  } catch (error) {
    const reason = errorNameOf(error);
    const result = reason === ErrorName.OutcomeUnknown ? 'unknown' : 'rejected';
    return { result, reason, message: errorMessageOf(error) };
  }
}

/**
 * An endpoint that is stopped after a stop in doubt was stopped by it. One that is not may still be:
 * the stop was sent, and cannot be called back.
 */
export function keptOrDone(reason: KeepReason, sent: number): StopResult {
  if (sent === 0) return { result: 'kept', reason };
  return reason === 'stopped-already' ? { result: 'accepted' } : { result: 'unknown', reason };
}

type Read = Pick<StopEvidence, 'endpoints'> | { readonly unreadable: StopResult };

/** Without a complete list nothing is stopped. */
async function tryToRead(record: RolloutRecord, service: EndpointService): Promise<Read> {
  try {
    return { endpoints: await readList(record, service) };
  } catch (error) {
    const reason: KeepReason = 'list-unreadable';
    return { unreadable: { result: 'kept', reason, message: errorMessageOf(error) } };
  }
}
