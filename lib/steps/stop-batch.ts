import { type Batch, parseBatch } from '../contract/flow/position.ts';
import { accessWaitMs, decideStop, type StopEvidence } from '../domain/containment/decide-stop.ts';
import { findOldEndpoints } from '../domain/containment/old-endpoints.ts';
import {
  type Attempts,
  mayBeMade,
  NO_ATTEMPTS,
  stopHistories,
} from '../domain/endpoint/attempts.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { legOf } from '../domain/endpoint/leg.ts';
import { rollHistories } from '../domain/endpoint/rolls.ts';
import { ErrorName } from '../domain/errors.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../domain/rollout/record.ts';
import { findAbort } from '../domain/signals/abort.ts';
import { findCallOff, isAskedForAgain } from '../domain/signals/signals.ts';
import type { Known, Noted, WhyLeft } from '../domain/writes/write-rules.ts';
import { stepFrom } from './group/group-service.ts';
import { attemptWrites, type BatchSummary } from './io/attempt-writes.ts';
import type { WritePorts } from './io/ports.ts';
import { readList } from './io/read-list.ts';
import { takeUp } from './io/take-up.ts';

/** For how long a batch begins new stops. The function has 600 s. */
const LONGEST_BATCH_MS = 540_000;

/** How often one stop is sent when no answer comes, or a refusal. */
const MAX_STOPS = 3;

export const handleStopBatch = stepFrom(({ batch }) => parseBatch(batch), stopBatch);

/**
 * Stops the old endpoints of a batch by `attemptWrites`, one after the other, each on a complete list of its own. A
 * stop cannot be undone: an endpoint in doubt is kept, and the journal says why. No stop begins once an abort was
 * accepted. Where the service cannot stop endpoints, all are kept.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { service } = ports;
  const taken = await takeUp(ports, batch);
  const { record, plan } = taken;
  const { progress } = record;
  if (progress === null || legOf(plan).after === 'close') return {};
  const due = findDue(batch, record, plan, progress);
  return attemptWrites<readonly Endpoint[]>(
    {
      operation: 'stop',
      endpointIds: [...due.keys()],
      endpointsPerLook: 1,
      longestMs: LONGEST_BATCH_MS,
      repeatsUnknown: true,
      look: () => readList(taken, ports),
      calledOff: ({ signals }) =>
        service.abilities.stops ? findCallOff('stop', signals) : 'cannot-stop',
      decide(endpointId, attempts, known) {
        return verdictOf(due.get(endpointId) as OldEndpoint, attempts, known, record);
      },
      leave: lineOfLeft,
      accessWaitMs: (begunAt, now) => accessWaitMs(record, begunAt, now),
      async send(endpointId) {
        await service.stop(batch.runtimeId, endpointId);
        return undefined;
      },
    },
    taken,
    ports,
  );
}

type OldEndpoint = Pick<StopEvidence, 'plan' | 'planned' | 'history' | 'observed'>;

/** The old endpoints of a batch that no earlier run of this step has dealt with, and what is known of them. */
function findDue(
  { from, to }: Batch,
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): ReadonlyMap<string, OldEndpoint> {
  const histories = rollHistories(record.journal, plan.direction);
  const stops = stopHistories(record.journal);
  const due = new Map<string, OldEndpoint>();
  for (const index of findOldEndpoints(record, plan, progress)) {
    const planned = plan.endpoints[index];
    if (index < from || index >= to || planned === undefined) continue;
    const { endpointId } = planned;
    const { last, sent, possible } = stops.get(endpointId) ?? NO_ATTEMPTS;
    // An earlier run of this step has stopped the endpoint, or kept it, or was refused too often.
    const isDone = last?.result === 'accepted' || last?.result === 'kept';
    if (isDone && !isAskedForAgain(last, record.signals)) continue;
    if (sent >= MAX_STOPS && possible === 0) continue;
    const history = histories.get(endpointId) ?? NO_ATTEMPTS;
    due.set(endpointId, { plan, planned, history, observed: progress.observations[index] });
  }
  return due;
}

function verdictOf(
  old: OldEndpoint,
  stops: Attempts,
  { look, at, signals, pinned, all }: Known<readonly Endpoint[]>,
  { request }: RolloutRecord,
): 'send' | Noted | undefined {
  const isAskedFor = findAbort(signals) !== undefined;
  const stopSent = mayBeMade(all);
  const isPinned = pinned.has(old.planned.endpointId);
  const evidence = { ...old, isAskedFor, isPinned, stopSent, endpoints: look, now: at.watched };
  const decision = decideStop(evidence, request.policy);
  if (!decision.stop) return keptOrDone(stops, { reason: decision.reason });
  return stops.sent < MAX_STOPS ? 'send' : inDoubt(stops);
}

/** The line for a stop that is not made; `undefined` when the journal has the last word already. */
function lineOfLeft(stops: Attempts, { kind, reason, message }: WhyLeft): Noted | undefined {
  switch (kind) {
    case 'called-off':
      return keptOrDone(stops, { reason });
    case 'unreadable':
      return stops.possible > 0
        ? inDoubt(stops)
        : keptOrDone(stops, { reason: 'list-unreadable', message });
    case 'not-now':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** A stop that may have been made, and is not sent again. An answer that is there already says more than this line. */
function inDoubt({ last, possible }: Attempts): Noted | undefined {
  if (possible === 0 || last?.result === 'unknown') return undefined;
  return { result: 'unknown', reason: ErrorName.OutcomeUnknown };
}

/** After a stop in doubt, one that is stopped was stopped by it, and one that is not may still be. */
function keptOrDone(
  { possible }: Attempts,
  { reason, message }: { readonly reason: string; readonly message?: string | undefined },
): Noted {
  if (possible === 0) return { result: 'kept', reason, message };
  return reason === 'stopped-already' ? { result: 'accepted' } : { result: 'unknown', reason };
}
