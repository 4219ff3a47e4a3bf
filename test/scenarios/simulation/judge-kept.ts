import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { isList, isWrite, type ListCall, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import { hasConverged, isRollBack, REFUSED } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { isOneOf } from './name-patterns.ts';
import type { Ordeal } from './ordeal.ts';

/** Why a stop was kept back is what the list just before shows, or what somebody had said. */
export function keptForItsReason(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  if (record === null || ordeal.death !== null || ordeal.stall !== null || ordeal.clock !== null)
    return [];
  const { minServing, protect } = ordeal.policy;
  const nameOf = (id: string) =>
    record.plan?.endpoints.find((one) => one.endpointId === id)?.name ?? null;
  const isTold = (kind: string) => record.signals.some((signal) => signal.kind === kind);
  return record.journal.flatMap(({ operation, result, reason = '', endpointId, at }) => {
    if (operation !== 'stop' || result !== 'kept') return [];
    const before = calls.filter(
      (call): call is ListCall => call.operation === 'list' && call.at <= at,
    );
    // Of those of the same moment nobody can say which one it was.
    const reads = before.filter((read) => read.at === before.at(-1)?.at);
    const failedAt = record.events.find(({ kind }) => kind === 'failing')?.at ?? 0;
    const then = calls
      .filter(isList)
      .findLast((call) => call.at < failedAt && call.endpoints !== null);
    // What shows no other version and no other status than when it failed has got no further.
    const isAsBefore = ({ id, targetVersion, liveVersion, status }: Endpoint) =>
      isPlain(ordeal) &&
      then?.endpoints?.some(
        (one) =>
          one.id === id &&
          one.targetVersion === targetVersion &&
          one.liveVersion === liveVersion &&
          one.status === status,
      ) === true;
    const holds = (read: ListCall | undefined): boolean => {
      const seen = read?.endpoints?.find(({ id }) => id === endpointId);
      const because: Readonly<Record<string, boolean>> = {
        'not-rolled': true,
        vanished: seen === undefined && read?.endpoints !== null,
        'went-live': seen?.liveVersion === 2,
        'live-unknown': seen?.liveVersion === null,
        moved: true,
        'stopped-already': seen?.status === 'STOPPED' || seen?.status === 'STOPPING',
        recovering: seen !== undefined && !isAsBefore(seen),
        protected: isOneOf({ id: endpointId, name: nameOf(endpointId) }, protect),
        'min-serving': minServing !== 0,
        'list-unreadable': read === undefined || !isWhole(read, record),
        'cannot-stop': ordeal.cannotStop,
        aborted: isTold('abort'),
        'gave-way': isTold('give-way'),
      };
      return because[reason] === true;
    };
    return reads.some(holds) || (reads.length === 0 && holds(undefined))
      ? []
      : [`${endpointId} was kept as ${reason}, and that is not so`];
  });
}

export function isWhole({ endpoints }: ListCall, { plan }: Pick<AskedRollout, 'plan'>): boolean {
  const known = [...(plan?.endpoints ?? []), ...(plan?.leftOut ?? [])];
  const there = known.filter(({ endpointId }) => endpoints?.some(({ id }) => id === endpointId));
  return endpoints !== null && 2 * there.length >= known.length;
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
    const { answer = '', operation, endpointId } = call;
    const written = isRollBack(call, record, turnedAt) ? 'roll-back' : operation;
    const isNoted = record.journal.some(
      (entry) =>
        entry.endpointId === endpointId &&
        entry.operation === written &&
        (answer === 'accepted' ? entry.result === 'accepted' : entry.reason === answer),
    );
    // A stop without an answer is sent again, and then the last answer counts.
    const isOpen = answer === '' || (operation === 'stop' && answer === 'OutcomeUnknown');
    return isNoted || isOpen || call.at >= refusedFrom
      ? []
      : [`${written} of ${endpointId}: ${answer} is not noted`];
  });
}

/** What the journal says the service answered was asked of it. What was found rolled needed no roll. */
export function journalIsTrue(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  if (record === null || ordeal.death !== null) return [];
  const writes = calls.filter(isWrite);
  return record.journal.flatMap(({ operation, endpointId, result, reason = '' }) => {
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
      isSent(({ answer = '' }) => {
        if (result === 'accepted') return !REFUSED.has(answer);
        return result === 'unknown' ? answer === 'OutcomeUnknown' : answer === reason;
      });
    return isTrue
      ? []
      : [`the journal has ${operation} of ${endpointId} as ${result}: nobody did it`];
  });
}

/** What the outcome says was done is what was sent. */
export function cleanupIsExact(
  ordeal: Ordeal,
  { record, calls, outcome, told }: ScenarioResult,
): string[] {
  if (record === null || ordeal.death !== null || ordeal.stall !== null) return [];
  const { cleanup, reason } = outcome;
  const writes = calls.filter(isWrite);
  const stops = writes.filter(({ operation }) => operation === 'stop');
  const hasStopped = stops.some(({ answer }) => answer === 'accepted');
  const isKept = record.journal.some(({ result }) => result === 'kept');
  const mayBeKept = isKept || reason === 'ConvergedWithinThreshold' || record.rollback !== null;
  const isTruth = {
    none: !hasStopped,
    stopped: stops.some(({ answer = '' }) => !REFUSED.has(answer)),
    rolledBack: record.rollback !== null,
    kept: mayBeKept,
    incomplete: true,
  }[cleanup];
  return [
    ...(isTruth ? [] : [`its cleanup is not ${cleanup}: ${outcome.message}`]),
    ...cleanupHasCause(ordeal, writes, { record, outcome, calls }),
    ...(isPlain(ordeal) ? cleanupOfPlain(ordeal, writes, { record, outcome, told }) : []),
  ];
}

/** To hold leaves nothing to be done, and what was not done after an error is told. */
function cleanupHasCause(
  { policy, people, word }: Ordeal,
  writes: readonly WriteCall[],
  { record, outcome, calls }: Pick<ScenarioResult, 'record' | 'outcome' | 'calls'>,
): string[] {
  if (record === null || record.rollback !== null) return [];
  const { cleanup } = outcome;
  const isToHold = policy.onFailure === 'hold' && people.length === 0 && word === null;
  const lastOf = (id: string) =>
    record.journal.findLast(
      ({ endpointId, operation }) => endpointId === id && operation === 'stop',
    )?.result;
  const stateOf = (id: string) => record.progress?.observations[indexOf(record, id)]?.state;
  const sent = writes.filter(({ version, answer = '' }) => version === 2 && !REFUSED.has(answer));
  const open = sent
    .map(({ endpointId }) => endpointId)
    .filter(
      (id) => stateOf(id) !== 'converged' && !['accepted', 'kept'].includes(lastOf(id) ?? ''),
    );
  // In a wave before, one read that speaks against an endpoint may be an old answer.
  const { from = 0 } = record.plan?.waves[record.progress?.wave ?? 0] ?? {};
  const reads = calls.filter(isList).filter((read) => isWhole(read, record));
  const mayStillBe = (id: string) =>
    indexOf(record, id) < from &&
    reads.at(-2)?.endpoints?.some((one) => one.id === id && hasConverged(one, 2)) === true;
  const isUntold =
    outcome.outcome === 'Errored' &&
    cleanup === 'none' &&
    policy.onFailure !== 'hold' &&
    !open.every(mayStillBe);
  return [
    ...(isToHold && cleanup === 'incomplete' ? ['it was told to hold, and misses a cleanup'] : []),
    ...(cleanup === 'incomplete' && open.length === 0
      ? [`nothing is left to do: ${outcome.message}`]
      : []),
    ...(isUntold && word === null && people.length === 0
      ? [`old endpoints are left, and its cleanup is none: ${outcome.message}`]
      : []),
  ];
}

/** Nothing is wrong but the new version: it does not come up, or it fails. */
export function isPlain(ordeal: Ordeal): boolean {
  const { people, lists, writes, clock, death, stall, word, broken, badReleases } = ordeal;
  return (
    people.length + lists.length + writes.length + badReleases === 0 &&
    [clock, death, stall, word].every((one) => one === null) &&
    broken.every((fault) => 'version' in fault && fault.version === 2 && PLAIN.has(fault.kind))
  );
}

const PLAIN: ReadonlySet<string> = new Set(['stuck', 'fail', 'slow']);

/** Where only the version is at fault, the failure policy does all that it promises. */
function cleanupOfPlain(
  { policy }: Ordeal,
  writes: readonly WriteCall[],
  { record, outcome, told }: Pick<ScenarioResult, 'record' | 'outcome' | 'told'>,
): string[] {
  const failing = told.find(({ kind }) => kind === 'failing');
  const { cleanup, message, reason } = outcome;
  // After a gate that never answered the rollout ends as Errored, and does nothing about what it has lost by then.
  if (reason === 'GateUnknown') return [];
  if (cleanup === 'incomplete') return [`nothing was in the way of its cleanup: ${message}`];
  if (failing === undefined) return [];
  const sent = new Set(writes.filter(({ version }) => version === 2).map((one) => one.endpointId));
  const isDealtWith = (id: string) => {
    if (policy.onFailure === 'hold') return true;
    if (policy.onFailure === 'roll-back')
      return writes.some((one) => one.endpointId === id && Number(one.version ?? 2) !== 2);
    const state = record?.progress?.observations[indexOf(record, id)]?.state;
    const isStopDecided = record?.journal.some(
      ({ endpointId, operation }) => endpointId === id && operation === 'stop',
    );
    return state === 'converged' || isStopDecided === true;
  };
  return [...sent]
    .filter((id) => !isDealtWith(id))
    .map((id) => `${id} was left as it is: ${message}`);
}

function indexOf(record: ScenarioResult['record'], id: string): number {
  return record?.plan?.endpoints.findIndex(({ endpointId }) => endpointId === id) ?? -1;
}
