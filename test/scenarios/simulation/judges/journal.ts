import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import { ANSWER_UNREADABLE } from '../../../../lib/domain/endpoint/rolls.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import { type Call, isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED, wasAtWork } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';

/** What is sent was written down before, each time. */
export function writesAreInJournal({
  record,
  calls,
}: Pick<ScenarioResult, 'record' | 'calls'>): string[] {
  const kindOf = (line: { readonly endpointId: string; readonly operation: string }) =>
    `${line.operation === 'stop' ? 'stop' : 'roll'} of ${line.endpointId}`;
  const meant = record?.journal.filter(({ result }) => result === 'intended') ?? [];
  const intentions = Map.groupBy(meant, kindOf);
  return [...Map.groupBy(calls.filter(isWrite), kindOf)]
    .filter(([kind, sent]) => sent.length > (intentions.get(kind)?.length ?? 0))
    .map(([kind]) => `a ${kind} is not in the journal`);
}

/** The journal has the answer that the service gave. */
export function answersAreInJournal(
  ordeal: Ordeal,
  { record, calls, turnedAt, outcome }: ScenarioResult,
): string[] {
  if (record === null || ordeal.death !== null || ordeal.stall !== null) return [];
  // When another rollout has taken the lease meanwhile, the ledger refuses the answers to the writes in flight.
  const refusedFrom =
    outcome.reason === ErrorName.LeaseLost ? (calls.findLast(isWrite)?.at ?? 0) : Infinity;
  return calls.filter(isWrite).flatMap((call) => {
    const { operation, endpointId } = call;
    const answer = meantBy(calls, call);
    const written = isRollBack(call, record, turnedAt) ? 'roll-back' : operation;
    const isNoted = record.journal.some(
      (entry) =>
        entry.endpointId === endpointId &&
        entry.operation === written &&
        (answer === 'accepted' ? entry.result === 'accepted' : isReason(entry.reason, answer)),
    );
    return isNoted || answer === '' || call.at >= refusedFrom
      ? []
      : [`${written} of ${endpointId}: ${answer} is not noted`];
  });
}

/** What an answer means: a no to what the service is at work on is none for good. */
function meantBy(calls: readonly Call[], { operation, endpointId, answer = '', at }: WriteCall) {
  const isForNow = operation === 'roll' && wasAtWork(calls, endpointId, at);
  return answer === 'UpstreamRejected' && isForNow ? 'UpstreamConflict' : answer;
}

/** A yes that cannot be read is no answer, and is noted as what it is. */
function isReason(reason: string | undefined, answer: string): boolean {
  return reason === answer || (answer === 'OutcomeUnknown' && reason === ANSWER_UNREADABLE);
}

/** What the journal says the service answered was asked of it. What was found rolled needed no roll. */
export function journalIsTrue(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  if (record === null || ordeal.death !== null) return [];
  const { wire } = ordeal;
  const writes = calls.filter(isWrite);
  const count = (meant: JournalEntry, result: JournalEntry['result']) =>
    record.journal.filter(
      (line) =>
        line.endpointId === meant.endpointId &&
        line.operation === meant.operation &&
        line.result === result,
    ).length;
  const twice = record.journal.filter(
    (line) => line.result === 'accepted' && count(line, 'accepted') > count(line, 'intended'),
  );
  const untrue = record.journal.flatMap(({ operation, endpointId, result, reason = '' }) => {
    const isSent = (isMeant: (call: WriteCall) => boolean) =>
      writes.some(
        (call) =>
          call.endpointId === endpointId &&
          (call.operation === 'stop') === (operation === 'stop') &&
          isMeant(call),
      );
    const isTrue =
      (result !== 'unknown' && result !== 'rejected' && result !== 'accepted') ||
      (result === 'accepted' && operation !== 'stop') ||
      (wire !== null && result === 'rejected' && KEPT_BACK.has(reason)) ||
      isSent((call) => {
        const answer = meantBy(calls, call);
        if (result === 'accepted') return !REFUSED.has(answer);
        return result === 'unknown' ? answer === 'OutcomeUnknown' : answer === reason;
      });
    return isTrue
      ? []
      : [`the journal has ${operation} of ${endpointId} as ${result}: nobody did it`];
  });
  return [
    ...untrue,
    ...twice.map(({ endpointId }) => `the journal has more answers for ${endpointId} than writes`),
  ];
}

/** With these, a client that has sent nothing may say so. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  ...['UpstreamTimeout', 'UpstreamThrottled', 'UpstreamTransient', 'UpstreamAuth'],
  'UpstreamProtocol',
]);

/** A step that has died, or that could not ask the ledger, sends nothing before the list was read anew. */
export function deadWritesNothing(
  { death, stall, latencyMs, wire }: Pick<Ordeal, 'death' | 'stall' | 'latencyMs' | 'wire'>,
  { calls, haltedAt }: Pick<Observed, 'calls' | 'haltedAt'>,
): string[] {
  if (death === null || stall !== null || haltedAt === null || latencyMs === 0) return [];
  // Where the client runs, a call may take no time, and what is sent comes in the moment of the death.
  const atOnceMs = wire === null ? 0 : 1;
  // Of two batches that have read the list in the same moment, the other one may write just then.
  const lists = calls.filter(isList).map(({ at }) => at);
  const last = lists.findLast((at) => at <= haltedAt);
  if (lists.filter((at) => at === last).length > 1) return [];
  const readAt = lists.find((at) => at > haltedAt);
  return calls
    .filter(isWrite)
    .filter(({ at }) => at >= haltedAt + atOnceMs && at < (readAt ?? Number.POSITIVE_INFINITY))
    .map(({ operation, endpointId }) => `${operation} of ${endpointId} by a step that had died`);
}
