import { type Endpoint, isFailed, isStopped } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import {
  hasConverged,
  isForeign,
  isRollBack,
  letGoIn,
  REFUSED,
  wasAtWork,
} from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal, toleratesLosses } from '../ordeal.ts';
import { shortestMinuteMs } from './time.ts';

/** A rollout fails for the reason that the last two looks show, because one look may be an old answer. */
export function reasonIsSeen(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome, turnedAt } = run;
  const { policy } = record?.request ?? {};
  if (record?.plan == null || !policy || !isSteady(ordeal)) return [];
  const letGo = letGoIn(record);
  const planned = record.plan.endpoints.filter(({ endpointId }) => !letGo.has(endpointId));
  const { statuses } = policy;
  const failing = record.events.find((event) => event.kind === 'failing');
  const { reason } = failing ?? outcome;
  const fleet = record.plan.endpoints.length + record.plan.leftOut.length;
  // What is read for the stops and the way back that follow shows more than it could know.
  const followUp = calls.findIndex(
    (call) =>
      isWrite(call) &&
      call.at >= (failing?.at ?? Number.POSITIVE_INFINITY) &&
      (call.operation === 'stop' || isRollBack(call, record, turnedAt)),
  );
  const before = calls
    .slice(0, followUp < 0 ? calls.length : followUp)
    .filter(({ at }) => failing === undefined || at <= failing.at);
  const reads = before
    .filter((call): call is ListCall => call.operation === 'list' && call.endpoints !== null)
    .filter(({ endpoints }) => 2 * (endpoints?.length ?? 0) >= fleet);
  const shownIn =
    (seen: readonly ListCall[]) =>
    (count: number, isMeant: (one: Endpoint | undefined) => boolean, among = planned): boolean =>
      among.some(({ endpointId }) =>
        seen
          .slice(-count)
          .every(({ endpoints }) => isMeant(endpoints?.find(({ id }) => id === endpointId))),
      );
  const isBad = (one: Endpoint | undefined) =>
    one !== undefined && (isFailed(one, statuses) || isStopped(one, statuses));
  const writes = before.filter(isWrite);
  const hadFailed = new Set(
    planned
      .filter(({ wrongBefore }) => wrongBefore.includes('failed'))
      .map(({ endpointId }) => endpointId),
  );
  // What somebody else has moved since may fail wherever it goes.
  const wasMoved = (id: string | undefined, since: number) =>
    reads.some(
      ({ at, endpoints }) =>
        at >= since &&
        endpoints?.some(
          (one) =>
            one.id === id &&
            isForeign(
              one,
              planned.find(({ endpointId }) => endpointId === id),
            ),
        ),
    );
  const own = record.request.desiredVersion ?? undefined;
  // A roll that never arrived leaves the endpoint as it was, and it may have failed on its version before.
  const isOurs = (one: Endpoint | undefined) => {
    const roll = writes.find(
      ({ endpointId, answer = '' }) => endpointId === one?.id && !REFUSED.has(answer),
    );
    if (roll === undefined || (one?.targetVersion ?? roll.version) !== roll.version) return false;
    return !hadFailed.has(roll.endpointId) && !wasMoved(one?.id, roll.at);
  };
  const told = record.events.slice(0, failing && record.events.indexOf(failing));
  const waves = told.filter(({ kind }) => kind === 'wave-started').length;
  const begun = record.plan.endpoints
    .slice(0, record.plan.waves[waves - 1]?.to)
    .filter(({ endpointId }) => !letGo.has(endpointId));
  // Before the deadline, a read without an endpoint says nothing against the wave.
  const convergedAt = record.events.findLast(({ kind }) => kind === 'wave-converged')?.at ?? 0;
  const doubtedMs = (failing?.at ?? record.endedAt ?? 0) - convergedAt;
  const mayBeSilent = doubtedMs < policy.progressDeadlineSeconds * 1000;
  const isAgainst = ({ targetVersion, liveVersion, replicas }: Endpoint) =>
    replicas === 0 || [targetVersion, liveVersion].some((one) => one !== own && one !== null);
  // What the service has refused for good is a reason of its own.
  const isRefused = planned.some(({ endpointId }) => {
    const rolls = writes.filter((write) => write.endpointId === endpointId);
    return rolls.length > 0 && rolls.every(({ answer }) => answer === 'UpstreamRejected');
  });
  const holdsIn = (
    isShown: ReturnType<typeof shownIn>,
  ): Readonly<Record<string, () => boolean>> => ({
    EndpointFailed: () => isShown(2, isBad),
    EndpointVanished: () => isShown(3, (one) => one === undefined),
    LiveRegressed: () => {
      const isOver = mayDoubtBeOver(ordeal);
      const speaksAgainst = (one: Endpoint | undefined) =>
        one === undefined ? isOver || !mayBeSilent : isAgainst(one) || isBad(one);
      return (
        isShown(isOver ? 1 : 2, speaksAgainst, begun) ||
        isShown(3, (one) => one === undefined || speaksAgainst(one), begun)
      );
    },
    Stalled: () =>
      isShown(1, (one) => one === undefined || !hasConverged(one, own) || isBad(one)) &&
      (toleratesLosses(ordeal) || !isShown(3, (one) => isBad(one) && isOurs(one))),
    RollNotStarted: () =>
      !isRefused &&
      !isShown(2, (one) => one?.targetVersion === own && isBad(one) && isOurs(one)) &&
      planned.some(
        ({ endpointId }) =>
          writes.filter((write) => write.endpointId === endpointId).length >= 2 &&
          isShown(1, (one) => one?.id === endpointId && one.targetVersion !== own),
      ),
    Converged: () =>
      !isShown(1, (one) => one === undefined || !hasConverged(one, own) || isBad(one)),
    ConvergedWithoutPinned: () =>
      letGo.size > 0 &&
      !isShown(1, (one) => one === undefined || !hasConverged(one, own) || isBad(one)),
    ConvergedWithinThreshold: () =>
      isShown(1, (one) => one === undefined || !hasConverged(one, own) || isBad(one)),
    NothingToDo: () => writes.length === 0 && planned.length === 0,
  });
  // Where calls take no time, the reads for stops come in the same moment, and nobody can say which one decided.
  const atOnce = reads.filter(({ at }) => at === failing?.at).length;
  const upToTheLook = Array.from({ length: Math.max(1, atOnce) }, (_, later) =>
    reads.slice(0, reads.length - later),
  );
  // What the client has kept back, only the journal shows.
  const isKeptBack = ordeal.wire !== null && record.journal.some((line) => line.reason === reason);
  const isRefusal = reason.startsWith('Upstream') && outcome.outcome === 'Failed';
  const isTrue = isRefusal
    ? writes.some(
        ({ answer, endpointId, at }) =>
          answer === reason ||
          // A no to what is at work is one for now.
          (reason === 'UpstreamConflict' &&
            answer === 'UpstreamRejected' &&
            wasAtWork(calls, endpointId, at)),
      ) || isKeptBack
    : upToTheLook.some((seen) => holdsIn(shownIn(seen))[reason]?.() ?? true);
  return isTrue ? [] : [`it names ${reason}, and that is not to be seen`];
}

/** After a silence up to the deadline, there are only so many looks for whatever else comes up, and the last decides. */
function mayDoubtBeOver({ policy, alarms, readings }: Ordeal): boolean {
  return [...alarms, ...readings].some(({ seconds }) => seconds >= policy.progressDeadlineSeconds);
}

/** The workflow fits its steps, and every step understands what another one has left. */
export function understandsItself({ outcome }: ScenarioResult): string[] {
  return NEVER.has(outcome.reason) ? [`it does not understand itself: ${outcome.message}`] : [];
}

/** Only another version of steproll, or a mistake, can bring these about. */
const NEVER: ReadonlySet<string> = new Set(['IncompatibleState', 'FAILED', 'SUCCEEDED']);

/** What the service has refused for good is not asked for again. */
export function noIsHeard({ death, stall }: Ordeal, { calls }: ScenarioResult): string[] {
  if (death !== null || stall !== null) return [];
  const writes = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  return writes.flatMap(({ answer = '', endpointId, version, at }) => {
    const isLasting = answer === 'UpstreamRejected' && !wasAtWork(calls, endpointId, at);
    const isAgain = writes.some(
      (other) => other.at > at && other.endpointId === endpointId && other.version === version,
    );
    return isLasting && isAgain ? [`${endpointId} was rolled again after a lasting no`] : [];
  });
}

/** Somebody has watched the list for a minute after its last roll. */
export function waitsForItsRoll({ clock }: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome, turnedAt } = run;
  const failing = record?.events.find((event) => event.kind === 'failing');
  if (record === null || (failing?.reason ?? outcome.reason) !== 'RollNotStarted') return [];
  const endedAt = failing?.at ?? Number.POSITIVE_INFINITY;
  const forward = calls.filter(({ at }) => at <= endedAt);
  const readAt = forward.findLast(isList)?.at ?? 0;
  // The event has the time of a clock that may be ahead, so what follows may seem to be before it.
  const rolls = forward
    .filter(isWrite)
    .filter((call) => call.operation === 'roll' && !isRollBack(call, record, turnedAt));
  const lasts = new Map(rolls.map(({ endpointId, at }) => [endpointId, at]));
  const isOver = [...lasts.values()].some((at) => readAt - at >= shortestMinuteMs(clock));
  return isOver || lasts.size === 0 ? [] : ['no endpoint had a minute after its last roll'];
}
