import { type Batch, parseBatch } from '../contract/flow/position.ts';
import {
  type CallOff,
  decideStop,
  findCallOff,
  isAskedForAgain,
  type KeepReason,
  type StopEvidence,
} from '../domain/containment/decide-stop.ts';
import { findOldEndpoints } from '../domain/containment/old-endpoints.ts';
import { accessWaitMs } from '../domain/containment/wait-for-access.ts';
import type { WriteResult } from '../domain/endpoint/journal.ts';
import { NO_ROLLS, rollHistories } from '../domain/endpoint/rolls.ts';
import { findStopsSent, stopHistories } from '../domain/endpoint/stops.ts';
import { isNoAccess, meaningOf } from '../domain/error-meanings.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { leaseUntil } from '../domain/rollout/lease.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import { findAbort, type RolloutRecord, type WaveProgress } from '../domain/rollout/record.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { isFresh } from './frame/keep-lease.ts';
import type { StepPayload, StopPorts, WritePorts } from './frame/ports.ts';
import { readList } from './frame/read-list.ts';
import { signalsThatCount } from './frame/signals-that-count.ts';
import { takeUp } from './frame/take-up.ts';
import { type BatchSummary, countResults } from './frame/write-each.ts';
import { serviceOf } from './group/group-service.ts';

export async function handleStopBatch(
  payload: StepPayload,
  context: StopPorts,
): Promise<BatchSummary> {
  const batch = parseBatch(payload.batch);
  return stopBatch(batch, { ...context, service: serviceOf(batch, context) });
}

/**
 * Stops the old endpoints of a batch, one after the other. For each it reads a complete list. A stop cannot be
 * undone: an endpoint in doubt is kept, and the journal says why. While nobody is let in, the batch begins anew after a
 * wait. Before each stop it reads the signals of the
 * rollout, so that no stop begins once an abort was accepted. Where the service cannot stop endpoints, all are kept.
 *
 * @param begunAt When it began for the first time, in milliseconds since the Unix epoch. @default - now
 * @throws `LeaseLost` before anything is written.
 */
export async function stopBatch(
  batch: Batch,
  ports: StopPorts,
  begunAt = ports.clock.now(),
): Promise<BatchSummary> {
  const { ledger, service, clock, signal } = ports;
  const { lease, record, plan } = await takeUp(ports, batch);
  const { progress } = record;
  if (progress === null || plan.direction !== 'forward') return {};
  const due = findDue(batch, record, plan, progress);
  const results: StopResult[] = [];
  const note = (rows: readonly StopRow[]) =>
    ledger.append(
      lease,
      rows.map((row) => ({ at: clock.now(), operation: 'stop', ...row })),
    );
  const readSignals = async () =>
    signalsThatCount(await ledger.readSignals(lease.rolloutId), ports);
  for (const [index, old] of due.entries()) {
    if (signal?.aborted) break;
    const signals = await readSignals();
    const whyNot = service.abilities.stops ? findCallOff(signals) : 'cannot-stop';
    if (whyNot !== undefined) {
      const rest = due.slice(index).map((each) => keepBack(each, whyNot));
      await note(rest);
      results.push(...rest);
      break;
    }
    // A batch of slow stops may take longer than one lease.
    await ledger.renew(lease, leaseUntil(clock.now()));
    const { endpointId } = old.planned;
    let intended = -1;
    const intend = async (sent: number) => {
      // Either proves the lease.
      if (intended === sent) await ledger.renew(lease, leaseUntil(clock.now()));
      else await note([{ endpointId, result: 'intended' }]);
      intended = sent;
      return findCallOff(await readSignals());
    };
    const known = { ...old, isAskedFor: findAbort(signals) !== undefined };
    const { lockout, ...result } = await stopEndpoint(known, record, intend, ports);
    const waitMs = accessWaitMs(record, lockout, begunAt, clock.now());
    if (waitMs > 0) {
      if (result.result === 'rejected') await note([{ endpointId, ...result }]);
      await clock.sleep(waitMs, signal);
      return stopBatch(batch, ports, begunAt);
    }
    await note([{ endpointId, ...result }]);
    results.push(result);
  }
  return countResults(results);
}

interface StopRow extends StopResult {
  readonly endpointId: string;
}

function keepBack(
  { planned, isInDoubt }: Pick<OldEndpoint, 'planned' | 'isInDoubt'>,
  reason: KeepReason,
): StopRow {
  return { endpointId: planned.endpointId, ...keptOrDone(reason, isInDoubt) };
}

/** The old endpoints of a batch that no earlier run of this step has dealt with, and what is known of them. */
function findDue(
  { from, to }: Batch,
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Omit<OldEndpoint, 'isAskedFor'>[] {
  const histories = rollHistories(record.journal, plan.direction);
  const stops = stopHistories(record.journal);
  const stopSent = findStopsSent(record.journal);
  return findOldEndpoints(record, plan, progress).flatMap((index) => {
    const planned = plan.endpoints[index];
    if (index < from || index >= to || planned === undefined) return [];
    const { last, sent = 0, possible = 0 } = stops.get(planned.endpointId) ?? {};
    // An earlier run of this step has stopped the endpoint, or kept it, or was refused too often.
    const isDone = last?.result === 'accepted' || last?.result === 'kept';
    if (isDone && !isAskedForAgain(last, record.signals)) return [];
    if (sent >= MAX_STOPS && possible === 0) return [];
    const history = histories.get(planned.endpointId) ?? NO_ROLLS;
    const observed = progress.observations[index];
    return [{ plan, planned, history, observed, stopSent, sent, isInDoubt: possible > 0 }];
  });
}

/** How often one stop is sent when no answer comes, or a refusal. */
const MAX_STOPS = 3;

/** How a stop ended, in the words of the journal. */
interface StopResult {
  readonly result: WriteResult;
  readonly reason?: string;
  readonly message?: string;
  /** Nobody was let in. It is not for the journal. */
  readonly lockout?: true;
}

interface OldEndpoint extends Omit<StopEvidence, 'endpoints' | 'now'> {
  /** The stops that were sent so far. It grows with each of them. */
  readonly stopSent: Set<string>;
  /** How many stops earlier runs of the step may have sent. */
  readonly sent: number;
  /** One of these may have been carried out: it was not refused. */
  readonly isInDoubt: boolean;
}

/**
 * Stops one old endpoint, or keeps it. Before every try it reads the whole list and decides anew, so an endpoint that
 * went live meanwhile is not stopped.
 *
 * @param intend Writes down the intention of one more stop after those that were sent, and answers the signal that has
 *   called off the stop by then.
 * @throws `LeaseLost` before anything is written.
 */
async function stopEndpoint(
  { sent: earlierSent, isInDoubt: wasInDoubt, ...known }: OldEndpoint,
  record: RolloutRecord,
  intend: (sent: number) => Promise<CallOff | undefined>,
  { service, clock }: WritePorts,
): Promise<StopResult> {
  let unknown: StopResult = { result: 'unknown', reason: ErrorName.OutcomeUnknown };
  let sent = earlierSent;
  let isInDoubt = wasInDoubt;
  while (true) {
    const read = await tryToRead(record, service);
    if ('unreadable' in read) return keptOrUnknown(read.unreadable, isInDoubt, unknown);
    const now = clock.now();
    const decision = decideStop({ ...known, ...read, now }, record.request.policy);
    if (!decision.stop) return keptOrDone(decision.reason, isInDoubt);
    if (sent >= MAX_STOPS) return unknown;
    const calledOff = await intend(sent);
    if (calledOff !== undefined) return keptOrDone(calledOff, isInDoubt);
    // The process stood still since then: the endpoint may be live by now, and another rollout may have the lease.
    if (!isFresh(now, clock.now())) continue;
    sent += 1;
    known.stopSent.add(known.planned.endpointId);
    const answer = await send(record.request.runtimeId, known.planned.endpointId, service);
    if (answer.result !== 'unknown') return answer;
    unknown = answer;
    isInDoubt = true;
  }
}

function keptOrUnknown(kept: StopResult, isInDoubt: boolean, unknown: StopResult): StopResult {
  return isInDoubt ? unknown : kept;
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
    const result = meaningOf(reason).write === 'not-made' ? 'rejected' : 'unknown';
    return { result, reason, message: errorMessageOf(error), ...lockoutBy(error) };
  }
}

function lockoutBy(error: unknown): Pick<StopResult, 'lockout'> {
  return isNoAccess(errorNameOf(error)) ? { lockout: true } : {};
}

/**
 * When an endpoint is stopped after a stop in doubt, that stop did it. When it is not stopped, it may still be: the
 * stop was sent and cannot be called back.
 */
function keptOrDone(reason: KeepReason, isInDoubt: boolean): StopResult {
  if (!isInDoubt) return { result: 'kept', reason };
  return reason === 'stopped-already' ? { result: 'accepted' } : { result: 'unknown', reason };
}

type Read = Pick<StopEvidence, 'endpoints'> | { readonly unreadable: StopResult };

/** Without a complete list nothing is stopped. */
async function tryToRead(record: RolloutRecord, service: EndpointService): Promise<Read> {
  try {
    return { endpoints: await readList(record, service) };
  } catch (error) {
    const reason: KeepReason = 'list-unreadable';
    const message = errorMessageOf(error);
    return { unreadable: { result: 'kept', reason, message, ...lockoutBy(error) } };
  }
}
