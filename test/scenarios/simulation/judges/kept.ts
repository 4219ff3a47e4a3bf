import {
  type Endpoint,
  isFailed,
  isStopped,
  matchesAny,
  type PlannedEndpoint,
  type StatusWords,
} from '../../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import { DEFAULT_POLICY } from '../../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import { type Call, isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import {
  hasConverged,
  isForeign,
  isHaleIn,
  isMovingAnew,
  isWhole,
  listsSinceRoll,
  REFUSED,
} from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isOneOf } from '../name-patterns.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { isPlain } from './plain.ts';

/** A roll that was refused is as if it had never been sent. */
function isNotRefused(call: Call): boolean {
  const isRoll = isWrite(call) && call.operation === 'roll';
  return !isRoll || !REFUSED.has(call.answer ?? '');
}

/** Why a stop was kept back is what the list just before shows, or what somebody had said. */
export function keptForItsReason(
  ordeal: Ordeal,
  { record, calls, holds: held }: Observed,
): string[] {
  if (record === null || !isSteady(ordeal)) return [];
  const { protect, statuses = DEFAULT_POLICY.statuses } = ordeal.policy;
  const nameOf = (id: string) =>
    record.plan?.endpoints.find((one) => one.endpointId === id)?.name ?? null;
  const isTold = (kind: string) => record.signals.some((signal) => signal.kind === kind);
  return record.journal.flatMap(({ operation, result, reason = '', endpointId, at }) => {
    // After a stop without an answer, too, the next one may be kept back.
    const isKept = result === 'kept' || (result === 'unknown' && reason !== 'OutcomeUnknown');
    if (operation !== 'stop' || !isKept) return [];
    const before = calls.filter(
      (call): call is ListCall => call.operation === 'list' && call.at <= at,
    );
    // Of those of the same moment nobody can say which one it was.
    const stopped = calls.findLastIndex(
      (call) => call.operation === 'stop' && call.endpointId === endpointId && call.at <= at,
    );
    const reads = before.filter(
      (read) => read.at === before.at(-1)?.at && calls.indexOf(read) > stopped,
    );
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
    const planned = record.plan?.endpoints.find((one) => one.endpointId === endpointId);
    // What is broken does not recover, unless it was missing, or it was broken before the rollout.
    const isBroken = (seen: Endpoint) =>
      isFailed(seen, statuses) &&
      !planned?.wrongBefore.includes('failed') &&
      before.every(({ endpoints }) => endpoints?.some(({ id }) => id === endpointId) !== false);
    const isOfThis = (call: Call) => isWrite(call) && call.endpointId === endpointId;
    const rolledAt = calls.find(isOfThis)?.at ?? Number.POSITIVE_INFINITY;
    const wasShownThere = (until: ListCall) =>
      before
        .slice(0, before.indexOf(until))
        .some((read) =>
          read.endpoints?.some(
            (one) => one.id === endpointId && one.targetVersion === planned?.desiredVersion,
          ),
        );
    // What is live on the version, and has another target, was moved away before a look has seen it there.
    const showsTarget = ({ endpoints }: ListCall) =>
      endpoints?.some(
        (one) =>
          one.id === endpointId &&
          (one.targetVersion === null || one.targetVersion === planned?.desiredVersion),
      ) === true;
    // No look remembers the list of a batch, on which it writes, and one moment may have both.
    const isOfBatch = (list: ListCall) => calls[calls.indexOf(list) + 1]?.operation === 'roll';
    const lists =
      planned === undefined
        ? []
        : listsSinceRoll(calls, planned, record).filter(
            (list) => list.at <= at && !isOfBatch(list) && showsTarget(list),
          );
    // What was hale before the roll that arrived has not failed since then. The service has refused the others.
    const halesSince =
      planned === undefined
        ? []
        : listsSinceRoll(calls.filter(isNotRefused), planned, record).filter(
            (list) => list.at <= at && isHaleIn(list, planned, statuses),
          );
    const isSeenTwice = (isShown: (list: ListCall, planned: PlannedEndpoint) => boolean) =>
      new Set(lists.flatMap((list) => (planned && isShown(list, planned) ? [list.at] : []))).size >
      1;
    const isUnseen = (read: ListCall | undefined, seen: Endpoint | undefined) =>
      !isSeenTwice(isMovingAnew) &&
      !(read && planned && isMovingAnew(read, planned)) &&
      !(seen && isFailed(seen, statuses) && new Set(halesSince.map((list) => list.at)).size > 1);
    // What goes elsewhere after it went to the version was moved. A list that tells no target shows nothing.
    const isElsewhere = (read: ListCall) =>
      read.endpoints?.some(
        (one) =>
          one.id === endpointId &&
          (isForeign(one, planned) ||
            (read.at > rolledAt &&
              one.targetVersion !== null &&
              one.targetVersion !== planned?.desiredVersion &&
              wasShownThere(read))),
      ) === true;
    const holds = (read: ListCall | undefined): boolean => {
      const seen = read?.endpoints?.find(({ id }) => id === endpointId);
      const isToldElsewhere = seen?.targetVersion !== planned?.desiredVersion;
      const because: Readonly<Record<string, boolean>> = {
        'never-seen-moving': isUnseen(read, seen),
        vanished: seen === undefined && read?.endpoints !== null,
        'went-live': seen?.liveVersion === 2,
        'live-unknown': seen?.liveVersion === null || seen?.targetVersion === null,
        moved: before.some(isElsewhere),
        'stopped-already': seen?.status === 'STOPPED' || seen?.status === 'STOPPING',
        recovering: seen !== undefined && !isAsBefore(seen) && !isBroken(seen) && !isToldElsewhere,
        protected: isOneOf(
          { id: endpointId, name: nameOf(endpointId), attributes: planned?.attributes ?? {} },
          protect,
        ),
        pinned: held.some(
          ({ kind, endpoint }) => kind === 'pin' && endpoint === nameOf(endpointId),
        ),
        'min-serving': read === undefined || !mayStop(ordeal, { calls, record }, read, endpointId),
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

/** Nor is a stop kept back for the sake of one that was called off, also by a process that stands still for a while. */
export function calledOffServes(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { stall, death, clock } = ordeal;
  if (record === null || stall === null || stall.isRaced || death !== null || clock !== null)
    return [];
  return record.journal.flatMap(({ operation, result, reason, endpointId, at }, nth) => {
    if (operation !== 'stop' || result !== 'kept' || reason !== 'min-serving') return [];
    const before = calls.filter(isList).filter((call) => call.at <= at);
    const reads = before.filter((read) => read.at === before.at(-1)?.at);
    const gone = mayBeStopped(record.journal.slice(0, nth));
    const isNeedless = (read: ListCall) =>
      leavesEnough(ordeal, { calls, record }, read, gone.add(endpointId));
    return reads.length > 0 && reads.every(isNeedless)
      ? [`${endpointId} was kept, and enough would have served`]
      : [];
  });
}

/** All that a stop was meant for, but for those that were called off at once. */
function mayBeStopped(journal: readonly JournalEntry[]): Set<string> {
  const stops = journal.filter(({ operation }) => operation === 'stop');
  const meant = [...Map.groupBy(stops, ({ endpointId }) => endpointId)].filter(([, lines]) =>
    lines.some(
      ({ result }, nth) => result === 'intended' && !CALL_OFFS.has(lines[nth + 1]?.reason ?? ''),
    ),
  );
  return new Set(meant.map(([endpointId]) => endpointId));
}

const CALL_OFFS: ReadonlySet<string> = new Set(['aborted', 'gave-way']);

/** Enough would certainly serve without it, and without those that were stopped. */
function mayStop(
  ordeal: Ordeal,
  seen: Pick<ScenarioResult, 'calls' | 'record'>,
  read: ListCall,
  endpointId: string,
): boolean {
  const gone = new Set(
    seen.calls.flatMap((call) => (call.operation === 'stop' ? [call.endpointId] : [])),
  ).add(endpointId);
  return leavesEnough(ordeal, seen, read, gone);
}

function leavesEnough(
  { policy }: Ordeal,
  { calls, record }: Pick<ScenarioResult, 'calls' | 'record'>,
  read: ListCall,
  gone: ReadonlySet<string>,
): boolean {
  const { minServing, statuses = DEFAULT_POLICY.statuses } = policy;
  const { endpoints = [], leftOut = [] } = record?.plan ?? {};
  const resting = surelyResting(calls, statuses);
  const rows = read.endpoints ?? [];
  const serving = rows.filter((one) => !gone.has(one.id) && serves(one, statuses, resting));
  const fleet = Math.max(rows.length, endpoints.length + leftOut.length);
  return serving.length >= leastOf(minServing, fleet);
}

function serves(
  endpoint: Endpoint,
  statuses: StatusWords,
  resting: string | null | undefined,
): boolean {
  const { status } = endpoint;
  const isKnownBad = isFailed(endpoint, statuses) || isStopped(endpoint, statuses);
  const isGood = matchesAny(status, statuses.serving) || status === resting;
  return isAtRest(endpoint) && !isKnownBad && isGood;
}

function isAtRest({ liveVersion, targetVersion, replicas }: Endpoint): boolean {
  return Number(liveVersion) >= 1 && targetVersion === liveVersion && replicas !== 0;
}

function leastOf(minServing: RolloutPolicy['minServing'], fleet: number): number {
  if (typeof minServing === 'number') return minServing;
  return 'percent' in minServing ? (minServing.percent * fleet) / 100 : minServing.endpoints;
}

/**
 * Where old endpoints are stopped, each of them is: what the last look did not show live is stopped or kept, and of an
 * earlier wave what two looks in a row did not, or what somebody else has moved. What one look alone speaks against, of
 * an earlier wave, is not even looked at.
 */
export function noneIsForgotten(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome } = run;
  const { latencyMs, writes } = ordeal;
  const isClear = isSteady(ordeal) && writes.every(({ operation }) => operation !== 'stop');
  const { plan, journal = [], rollback, events = [], request, progress } = record ?? {};
  const failing = events.find((event) => event.kind === 'failing');
  const failedAt = failing?.at;
  if (!isClear || plan == null || rollback !== null || failedAt === undefined) return [];
  const statuses = request?.policy?.statuses;
  if (outcome.reason === ErrorName.LeaseLost || statuses === undefined) return [];
  const isDealtWith = (id: string) =>
    journal.some(({ endpointId, operation }) => endpointId === id && operation === 'stop');
  const isStopping = outcome.outcome === 'Failed' && failing?.onFailure === 'stop-old';
  if (!isStopping && !plan.endpoints.some(({ endpointId }) => isDealtWith(endpointId))) return [];
  const reads = calls
    .filter(isList)
    .filter((read) => read.at <= failedAt && isWhole(read, { plan }));
  // Reads of the same moment may be those of the stops already.
  const before = reads.findLast(({ at }) => at < failedAt)?.at;
  const looks = reads.filter(({ at }) => at === failedAt || at === before);
  // Where calls take time, a read may be that of a batch, and no look. In a bake there are no batches.
  const isPlainlyLooked = latencyMs + writes.length === 0 || outcome.reason === 'LiveRegressed';
  const begun = events.filter(({ kind }) => kind === 'wave-started').length;
  const { from = 0 } = plan.waves[begun - 1] ?? {};
  const lastSeen = (index: number) => progress?.observations[index]?.state ?? 'converged';
  const isOld = (id: string, index: number) =>
    index < from
      ? isPlainlyLooked &&
        (looks.every(({ endpoints }) => isAway(endpoints, id)) || isTheirs(index))
      : lastSeen(index) !== 'converged';
  // The first of the two, and the one that came with the failure.
  const [earlier, last] = [looks[0], looks.find(({ at }) => at === failedAt)];
  const rowOf = (read: ListCall | undefined, id: string) =>
    read?.endpoints?.find((one) => one.id === id);
  const isTheirs = (index: number) => {
    const planned = plan.endpoints[index];
    const row = rowOf(last, planned?.endpointId ?? '');
    return row !== undefined && isForeign(row, planned);
  };
  const isTrusted = (id: string, index: number) => {
    const row = rowOf(earlier, id);
    const wasThere = row !== undefined && serves(row, statuses, row.status);
    return index < from && isPlainlyLooked && wasThere && row.liveVersion === 2 && !isTheirs(index);
  };
  const isAway = (endpoints: ListCall['endpoints'], id: string) => {
    const shown = endpoints?.find((one) => one.id === id);
    if (shown === undefined || isFailed(shown, statuses) || isStopped(shown, statuses)) return true;
    return shown.targetVersion !== null && !hasConverged(shown, request?.desiredVersion ?? 2);
  };
  const wasRolled = (id: string) =>
    journal.some(
      ({ endpointId, operation, result }) =>
        endpointId === id && operation === 'roll' && result === 'accepted',
    );
  return plan.endpoints.flatMap(({ endpointId: id, name }, index) => {
    if (isDealtWith(id) && isTrusted(id, index)) return [`${name} was live, and was looked at`];
    const isForgotten = wasRolled(id) && isOld(id, index) && !isDealtWith(id);
    return isForgotten ? [`${name} was neither stopped nor kept`] : [];
  });
}

/**
 * No stop of ours leaves fewer than `minServing`, as far as the read before it tells for certain: the status says so, or
 * it is the one that all endpoints showed that were neither failed nor stopped when the plan was made, two or more of
 * them at rest.
 */
export function keepsEnoughServing(
  { policy }: Pick<Ordeal, 'policy'>,
  { calls, record }: Pick<ScenarioResult, 'calls'> & Partial<Pick<ScenarioResult, 'record'>>,
): string[] {
  const { minServing, statuses = DEFAULT_POLICY.statuses } = policy;
  const resting = restingStatus(calls, statuses);
  const gone = new Set<string>();
  return calls.flatMap((call, index) => {
    const before = calls[index - 1];
    if (call.operation !== 'stop' || before?.operation !== 'list') return [];
    gone.add(call.endpointId);
    const serving = (before.endpoints ?? []).filter(
      (one) => !gone.has(one.id) && serves(one, statuses, resting),
    );
    // What was deleted since the plan was made serves nobody, and the share is one of it, too.
    const { endpoints = [], leftOut = [] } = record?.plan ?? {};
    const listed = Math.max(before.endpoints?.length ?? 0, endpoints.length + leftOut.length);
    return serving.length < leastOf(minServing, listed)
      ? [`${serving.length} of ${listed} serving after a stop`]
      : [];
  });
}

/** The status that all show before the first write, where a read then shows two or more at rest. */
function restingStatus(calls: readonly Call[], statuses: StatusWords): string | null | undefined {
  const reads = healthyBeforeWrites(calls, statuses);
  const isShared = reads.some((shown) => shown.filter(isAtRest).length > 1);
  return isShared ? onlyOf(reads.at(-1) ?? []) : undefined;
}

/** That status, where at least two are at rest, in each read before the first write. */
function surelyResting(calls: readonly Call[], statuses: StatusWords): string | null | undefined {
  const reads = healthyBeforeWrites(calls, statuses);
  const isSure = reads.every((shown) => shown.filter(isAtRest).length > 1);
  return isSure ? onlyOf(reads.flat()) : undefined;
}

/** What each read before the first write shows of those that have neither failed nor are stopped. */
function healthyBeforeWrites(calls: readonly Call[], statuses: StatusWords): Endpoint[][] {
  const firstWrite = Math.max(0, calls.findIndex(isWrite));
  return calls
    .slice(0, firstWrite)
    .filter(isList)
    .flatMap(({ endpoints }) => {
      const isHealthy = (one: Endpoint) => !isFailed(one, statuses) && !isStopped(one, statuses);
      return endpoints === null ? [] : [endpoints.filter(isHealthy)];
    });
}

/** `undefined`: they show several. */
function onlyOf(shown: readonly Endpoint[]): string | null | undefined {
  const words = new Set(shown.map(({ status }) => status));
  return words.size === 1 ? [...words][0] : undefined;
}
