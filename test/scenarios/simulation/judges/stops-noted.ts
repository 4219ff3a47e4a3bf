import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import type { RolloutRecord } from '../../../../lib/domain/rollout/record.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

// What the journal says of stops.

/** Of a stop without an answer, the list that is read next tells whether it was carried out. */
export function unansweredIsLookedFor(
  ordeal: Ordeal,
  { calls, record }: Pick<ScenarioResult, 'calls' | 'record'>,
): string[] {
  const { people, policy } = ordeal;
  const others = people.some(({ kind }) => kind === 'stop' || kind === 'move');
  if (!isSteady(ordeal) || others || policy.statuses !== undefined) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.operation !== 'stop' || call.answer !== 'OutcomeUnknown') return [];
    const { endpointId } = call;
    const next = calls.slice(index + 1).find(isList);
    const shown = next?.endpoints?.find(({ id }) => id === endpointId);
    const last = stopsOf(record, endpointId).at(-1)?.result;
    const isDone = shown?.status?.startsWith('STOPP') === true && shown.liveVersion !== 2;
    return isDone && last !== 'accepted'
      ? [`${endpointId} was seen stopped after its stop, and that is noted as ${last}`]
      : [];
  });
}

function stopsOf(record: ScenarioResult['record'], endpointId: string): readonly JournalEntry[] {
  const journal = record?.journal ?? [];
  return journal.filter((line) => line.operation === 'stop' && line.endpointId === endpointId);
}

/** A stop that was sent is not kept, even if a step died before it noted the answer. */
export function sentIsNotKept({
  calls,
  record,
}: Pick<ScenarioResult, 'calls' | 'record'>): string[] {
  const sent = calls
    .filter(isWrite)
    .filter(({ operation, answer = '' }) => operation === 'stop' && !REFUSED.has(answer))
    .map(({ endpointId }) => endpointId);
  return [...new Set(sent)]
    .filter((endpointId) => stopsOf(record, endpointId).at(-1)?.result === 'kept')
    .map((endpointId) => `a stop of ${endpointId} was sent, and it is noted as kept`);
}

/** Once it is accepted, or kept back, nothing more is to be said of a stop, unless a later abort asks for it. */
export function acceptedIsLast({ record }: Pick<ScenarioResult, 'record'>): string[] {
  const isAskedForAgain = ({ at, reason = '' }: JournalEntry) =>
    CALL_OFFS.has(reason) && record !== null && asksForStops(record, at);
  const ids = new Set(record?.journal.map(({ endpointId }) => endpointId));
  return [...ids].flatMap((endpointId) => {
    const stops = stopsOf(record, endpointId);
    const results = stops.map(({ result }) => result);
    const first = stops.findIndex(
      (stop) => stop.result === 'accepted' || (stop.result === 'kept' && !isAskedForAgain(stop)),
    );
    return first >= 0 && first < results.length - 1
      ? [`the stop of ${endpointId} was ${results[first]}, and then ${results.slice(first + 1)}`]
      : [];
  });
}

const CALL_OFFS: ReadonlySet<string> = new Set(['aborted', 'gave-way']);

function asksForStops({ signals }: Pick<RolloutRecord, 'signals'>, since: number): boolean {
  return signals.some(
    ({ kind, onFailure, at }) => kind === 'abort' && onFailure === 'stop-old' && at >= since,
  );
}

/**
 * What an earlier abort has called off is not left so, when the last one asks for it. Where a step has died, it may be
 * left, but the cleanup is incomplete then.
 */
export function lastAbortCounts(
  ordeal: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const last = record?.signals.findLast(({ kind }) => kind === 'abort');
  const isEnded = record?.outcome != null && record.outcome.outcome !== 'Errored';
  if (!isEnded || last?.onFailure !== 'stop-old' || record.rollback !== null) return [];
  // Whoever takes over looks at the list, and may find that nothing is to be stopped any more. A step whose call of the
  // ledger has failed only runs again.
  const mayBeTakenOver = ordeal.death !== null && ordeal.death.error !== 'LedgerUnavailable';
  const mayBeLeft = mayBeTakenOver || ordeal.stall?.isRaced === true;
  if (mayBeLeft && record.outcome.cleanup === 'incomplete') return [];
  const stops = record.journal.filter(({ operation }) => operation === 'stop');
  return [...Map.groupBy(stops, ({ endpointId }) => endpointId)]
    .filter(([, lines]) => CALL_OFFS.has(lines.at(-1)?.reason ?? ''))
    .map(([endpointId]) => `the stop of ${endpointId} stays called off, although it is asked for`);
}

/** The one that was decided just then is called off, and none is meant after it. */
export function noneIsMeantAfterAbort(
  ordeal: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const aborts = record?.signals.filter(({ kind }) => kind === 'abort') ?? [];
  const [abort] = aborts;
  if (!isSteady(ordeal) || abort === undefined) return [];
  if (aborts.some(({ onFailure }) => onFailure === 'stop-old')) return [];
  const meant = record?.journal.filter(
    ({ operation, result, at }) => operation === 'stop' && result === 'intended' && at > abort.at,
  );
  return (meant ?? []).slice(1).map(({ endpointId }) => `a stop of ${endpointId} was meant`);
}
