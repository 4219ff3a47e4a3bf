import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import { isAtStop, isBad, isWhole, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isAnsweredOddly, isSteady, type Ordeal, wasLeft } from '../ordeal.ts';
import type { Beside, Observed } from '../to-script.ts';
import { bakesFrom } from './gates.ts';
import { heldMs, pausesOf } from './holds.ts';
import { isPlain } from './plain.ts';
import { isAnyPromoted } from './promotions.ts';

/** A list that cannot be read is asked for again up to the progress deadline, and no longer. */
export function unreadableEnds(
  ordeal: Ordeal,
  { calls, outcome, record, turnedAt }: ScenarioResult,
): string[] {
  const { lists, clock } = ordeal;
  if (!isSteady({ ...ordeal, clock: null })) return [];
  const forward = calls.slice(0, calls.findIndex((call) => call.operation === 'stop') >>> 0);
  // Stops that a person asks for wait for a list of their own.
  const asked = record?.signals.find(
    ({ kind, onFailure: how }) => kind === 'abort' && how === 'stop-old',
  );
  const reads = forward.filter(isList).filter(({ at }) => at <= (asked?.at ?? Infinity));
  // A list without most of the fleet is no better than none.
  const isRead = (read: ListCall) => isWhole(read, { plan: record?.plan ?? null });
  const silence = reads.slice(reads.findLastIndex(isRead) + 1);
  const seconds = ((silence.at(-1)?.at ?? 0) - (silence[0]?.at ?? 0)) / 1000;
  const isDenied = record?.plan == null && outcome.reason === NO_ACCESS;
  const isAwaited = outcome.outcome === 'Errored' && AWAITED.has(outcome.reason) && !isDenied;
  // A list that is wrong is waited for, too, and both have one deadline. A plan needs two reads that agree.
  const isOnlySilent = silence.length > 0 && lists.every(({ kind }) => AWAITED.has(kind));
  const isPlanned = record?.plan != null && turnedAt === null && clock === null;
  const isExact = isPlanned && isOnlySilent && !lists.some(({ kind }) => kind === THROTTLED);
  const { least, most: mostUnheld } = isExact
    ? exactPatience(ordeal)
    : roughPatience(ordeal, turnedAt);
  // Under a pause the deadline stands still, from the look before the one that hears of it to the one after its end.
  const { pollSeconds, maxPollSeconds } = ordeal.policy;
  const look = Math.max(pollSeconds, maxPollSeconds) + ordeal.latencyMs / 1000;
  const held = (ordeal.held?.holds ?? []).reduce((sum, hold) => sum + hold.seconds + 2 * look, 0);
  const most = mostUnheld + held;
  const isEarly = asked === undefined && isAwaited && isOnlySilent && seconds < least;
  return isEarly || seconds > most
    ? [`it went on for ${seconds} s without a list, and ended with ${outcome.reason}`]
    : [];
}

/** Between its last look at a list that could be read and its end there is a deadline, also when steps ran twice. */
export function listHasItsTime(
  { clock, policy }: Ordeal,
  { outcome, record, turnedAt }: Pick<ScenarioResult, 'outcome' | 'record' | 'turnedAt'>,
): string[] {
  const { progress = null, endedAt = null, signals = [], events = [] } = record ?? {};
  if (clock !== null || turnedAt !== null || progress === null || endedAt === null) return [];
  // What it is told, or has told itself, decides about its end without a list.
  if (signals.length > 0 || events.some(({ kind }) => kind === 'failing')) return [];
  if (outcome.outcome !== 'Errored' || !AWAITED.has(outcome.reason)) return [];
  const seconds = (endedAt - progress.readAt) / 1000;
  return seconds < policy.progressDeadlineSeconds
    ? [`it went on for ${seconds} s after its last list, and ended with ${outcome.reason}`]
    : [];
}

/** A list that cannot be read has its deadline, and so has a gate that says nothing, also when a process died meanwhile. */
export function resumedHasTheRest(
  ordeal: Ordeal,
  run: ScenarioResult & Pick<Beside, 'holds' | 'haltedAt'>,
): string[] {
  const { death, stall, clock, lists, policy, latencyMs, people, broken, writes, guises } = ordeal;
  const { calls, gates, record, turnedAt } = run;
  // Before its first wave, another judge looks how long it waits.
  const begun = record?.events.find(({ kind }) => kind === 'wave-started');
  if (record === null || begun === undefined) return [];
  const isThrottled = lists.some(({ kind }) => kind === THROTTLED);
  if (death === null || stall !== null || clock !== null || turnedAt !== null || isThrottled)
    return [];
  const longest = Math.max(policy.pollSeconds, policy.maxPollSeconds) + (2 * latencyMs) / 1000;
  const pauses = pausesOf(ordeal, run);
  /** Seconds in which somebody looked: no look comes later than that after the one before it. In a pause no time counts. */
  const watched = (looks: readonly number[]) =>
    looks.slice(1).reduce((sum, at, index) => {
      const before = looks[index] ?? at;
      return sum + Math.min(longest, (at - before - heldMs(pauses, before, at)) / 1000);
    }, 0);
  const forward = calls.slice(0, calls.findIndex((call) => call.operation === 'stop') >>> 0);
  // Stops that a person asks for wait for a list of their own.
  const asked = record.signals.find(
    ({ kind, onFailure: how }) => kind === 'abort' && how === 'stop-old',
  );
  const reads = forward
    .filter(isList)
    .filter(({ at }) => at > begun.at && at <= (asked?.at ?? Infinity));
  const isRead = (read: ListCall) => isWhole(read, record);
  const unread = reads.slice(reads.findLastIndex(isRead) + 1).map(({ at }) => at);
  const said = gates.findLastIndex(({ verdict }) => verdict !== 'unknown');
  const saidAt = gates[said]?.at ?? 0;
  // Where the list speaks against the wave in between, a gate may get another deadline.
  const isClear = [lists, people, broken, writes, guises].every(({ length }) => length === 0);
  const heldFrom = silenceHoldsFrom(run);
  const unanswered = gates
    .map(({ at }) => at)
    .filter((at) => at > saidAt && at >= heldFrom && isClear);
  const most = policy.progressDeadlineSeconds + 3 * longest + 10;
  return [
    ...(watched(unread) > most ? [`it looked for a list for ${watched(unread)} s`] : []),
    ...(watched(unanswered) > most ? [`it asked its gates for ${watched(unanswered)} s`] : []),
  ];
}

/** Silence holds only the wave that has converged last, once its bake is over, in which no process may have run for a while. */
function silenceHoldsFrom({
  record,
  calls,
  haltedAt,
}: Pick<ScenarioResult, 'record' | 'calls'> & Pick<Beside, 'haltedAt'>): number {
  const converged = bakesFrom(record);
  if (converged === undefined) return Number.POSITIVE_INFINITY;
  const { bakeSeconds = 0 } = record?.plan?.waves[converged.wave - 1] ?? {};
  const overAt = converged.at + bakeSeconds * 1000;
  if (haltedAt === null || haltedAt < converged.at) return overAt;
  const reads = calls.filter(isList).map(({ at }) => at);
  const before = reads.findLast((at) => at <= haltedAt) ?? haltedAt;
  const after = reads.find((at) => at > haltedAt) ?? haltedAt;
  return overAt + after - before;
}

interface Patience {
  readonly least: number;
  readonly most: number;
}

/** The read for a batch comes up to a poll interval before the look from which the time is counted. */
function exactPatience({ policy, latencyMs }: Ordeal): Patience {
  const { progressDeadlineSeconds: deadline, maxPollSeconds } = policy;
  const readSeconds = 2 + (2 * latencyMs) / 1000;
  return { least: deadline - readSeconds, most: deadline + maxPollSeconds + readSeconds };
}

/** Each way has a deadline of its own. */
function roughPatience({ policy, clock }: Ordeal, turnedAt: number | null): Patience {
  const { progressDeadlineSeconds: deadline } = policy;
  const ways = turnedAt === null ? 1 : 2;
  return {
    least: deadline - MOMENT_SECONDS - (clock === null ? 0 : JUMP_SECONDS),
    most: ways * (deadline + LONGEST_ASKED_SECONDS),
  };
}

const THROTTLED = 'UpstreamThrottled';

/** Before there is a plan it ends a rollout at once. */
const NO_ACCESS = 'UpstreamAuth';

/** Faults that leave a read of the list without an answer, and that may pass. */
const AWAITED: ReadonlySet<string> = new Set([
  ...[THROTTLED, NO_ACCESS, 'UpstreamTimeout', 'UpstreamTransient'],
]);

/** A read that fails may itself take so long. */
const MOMENT_SECONDS = 30;

/** A clock that jumps there and back may cost so much: a longer jump does not count at all. */
const JUMP_SECONDS = 60;

/** A service may ask for so long a wait, and a step with its tries may take as long again. */
const LONGEST_ASKED_SECONDS = 400;

/** Until the service has accepted a roll of this rollout, each goes alone: a bad version is refused only once. */
export function firstGoesAlone(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  const acceptedAt = record?.journal.find(({ result }) => result === 'accepted')?.at;
  if (!isSteady(ordeal) || ordeal.people.some(({ kind }) => kind === 'move')) return [];
  if (isAnsweredOddly(ordeal.wire)) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.version !== 2 || call.at > (acceptedAt ?? call.at)) return [];
    const looks = calls.slice(0, index).filter(isList).slice(-2);
    const isUnderWay = (id: string) =>
      looks.every(({ endpoints }) =>
        endpoints?.some(
          (one) => one.id === id && one.targetVersion === 2 && one.liveVersion === 1 && goesOn(one),
        ),
      );
    const other = calls
      .slice(0, index)
      .filter(isWrite)
      .find(({ endpointId, answer = '', at }) => {
        const isTogether = at === call.at && endpointId !== call.endpointId;
        return isTogether || (!REFUSED.has(answer) && isUnderWay(endpointId));
      });
    return other === undefined
      ? []
      : [`${call.endpointId} was rolled beside ${other.endpointId}, the first one`];
  });
}

/** A list that does not say where an endpoint goes is no reason to roll it once more. A token is one. */
export function silenceIsNoReason(
  { clock, cannotStop, latencyMs }: Ordeal,
  { calls, record }: ScenarioResult,
): string[] {
  if (clock !== null || cannotStop) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.operation !== 'roll') return [];
    const { endpointId, version, at } = call;
    const before = calls.slice(0, index);
    const isSent = before.some((one) => {
      const isSame = isWrite(one) && one.endpointId === endpointId && one.version === version;
      return isSame && one.operation === 'roll' && !REFUSED.has(one.answer ?? '');
    });
    const planned = record?.plan?.endpoints.find((one) => one.endpointId === endpointId);
    // To roll to the version that it had before may be another direction.
    if (!isSent || planned?.previousVersion === planned?.desiredVersion) return [];
    const rows = before
      .filter(isList)
      .filter((list) => list.at >= at - LONGEST_LIST_TRUST_MS - latencyMs)
      .flatMap(({ endpoints }) => endpoints?.filter(({ id }) => id === endpointId) ?? []);
    const isElsewhere = rows.some(({ targetVersion }) => ![null, version].includes(targetVersion));
    return isElsewhere
      ? []
      : [`${endpointId} was rolled once more, and no list showed it elsewhere`];
  });
}

/** So old may a list be when a write is sent that it was read for. */
const LONGEST_LIST_TRUST_MS = 15_000;

/** It has neither failed nor been stopped. */
function goesOn(one: Endpoint): boolean {
  return !isBad(one) && !isAtStop(one);
}

/** What is live is noticed within a tenth of the time of its roll, or within a poll. */
export function liveIsNoticed(ordeal: Ordeal, { calls, record, executions }: Observed): string[] {
  const { policy, broken, rollSeconds, latencyMs, death } = ordeal;
  // Whoever goes on for a dead process cannot know how long a roll has taken that was sent before.
  const isResumed = death?.error === 'Killed' && !wasLeft(ordeal);
  const isForeseen = isPlain(isResumed ? { ...ordeal, death: null } : ordeal);
  if (!isForeseen || broken.length > 0 || record?.plan == null) return [];
  const since = isResumed ? (executions.at(-1)?.runs[0]?.begunAt ?? 0) : 0;
  const longest = Math.max(policy.pollSeconds, rollSeconds / 10) + 3 + (12 * latencyMs) / 1000;
  const forward = calls.filter(isWrite).filter(({ version, at }) => version === 2 && at >= since);
  const reads = calls.filter(isList);
  return forward.flatMap(({ endpointId, at }) => {
    const liveAt = at + latencyMs + rollSeconds * 1000;
    const seen = reads.find((read) => read.at >= liveAt);
    const after = ((seen?.at ?? liveAt) - liveAt) / 1000;
    return after > longest ? [`${endpointId} was live, and nobody looked for ${after} s`] : [];
  });
}

/** However often a step dies, and whatever the gates say, no wave is left before it has baked. */
export function bakesLongEnough({ clock }: Ordeal, { record }: ScenarioResult): string[] {
  const { plan, events = [], outcome, endedAt } = record ?? {};
  // Of promoted waves another judge says how long they bake.
  if (plan == null || clock !== null || isAnyPromoted(record)) return [];
  return events.flatMap((event, index) => {
    if (event.kind !== 'wave-converged' || event.direction === 'back') return [];
    const next = events[index + 1] ?? { kind: outcome?.outcome, at: endedAt ?? 0 };
    const { bakeSeconds = 0 } = plan.waves[event.wave - 1] ?? {};
    const baked = (next.at - event.at) / 1000;
    return LEAVES.has(next.kind ?? '') && baked < bakeSeconds
      ? [`wave ${event.wave} baked for ${baked} s, and not for ${bakeSeconds} s`]
      : [];
  });
}

/** What comes after a wave that is trusted. */
const LEAVES: ReadonlySet<string> = new Set(['wave-started', 'approval-wanted', 'Succeeded']);
