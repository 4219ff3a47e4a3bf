import { type Endpoint, isFailed } from '../../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import { isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isRelease, isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { handOverMs } from '../wire/as-judged.ts';
import { askerMayBeGone } from './give-way.ts';
import { pausesOf } from './holds.ts';

/** So old may a look at the signals be when its writes begin: docs/cli.md. */
const LONGEST_TRUST_MS = 10_000;

/**
 * No write begins once an abort was accepted, but for what it asks for, nor once a newer rollout asked this one to
 * give way, but for those of a way back. A paused rollout gives way to nobody, and the stops of a failure pass: docs/holds.md.
 * Rolls under a pause are for `pause-is-heard`, and here they count.
 */
export function haltsWhenTold(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls, turnedAt } = run;
  const { stall } = ordeal;
  // A process that stands still between its last look at the signals and the write cannot know of them.
  const stillMs = Math.min((stall?.seconds ?? 0) * 1000, LONGEST_TRUST_MS) + handOverMs(ordeal);
  const mayBeGone = askerMayBeGone(ordeal);
  const signals = record?.signals ?? [];
  const pauses = pausesOf(ordeal, run);
  // What begins or ends at the very moment of a write may come before it or after it.
  const isPaused = (at: number) => pauses.some(({ from, to }) => from <= at && at - stillMs <= to);
  const kindOf = (write: WriteCall) =>
    record !== null && isRollBack(write, record, turnedAt) ? 'roll-back' : write.operation;
  return calls.filter(isWrite).flatMap((write) => {
    const before = signals.filter(({ at }) => at < write.at - stillMs);
    const abort = before.findLast(({ kind }) => kind === 'abort');
    // What is said at the very moment of a write may come before it or after it.
    const atOnce = signals.filter(
      ({ at, kind }) => at >= write.at - stillMs && at <= write.at && kind === 'abort',
    );
    const kind = kindOf(write);
    const asked = { hold: '', 'stop-old': 'stop', 'roll-back': 'roll-back' };
    const isAsked = [abort, ...atOnce].some(
      (one) => one !== undefined && kind === asked[one.onFailure ?? 'hold'],
    );
    const passes = mayBeGone || (kind === 'stop' && isPaused(write.at));
    const gaveWay = !passes && before.some((signal) => signal.kind === 'give-way');
    const mayBegin = isAsked || (abort === undefined && (!gaveWay || kind === 'roll-back'));
    return mayBegin ? [] : [`${kind} of ${write.endpointId} after it was told to end`];
  });
}

/** An abort that was accepted is how it ends, unless an error kept it from what was asked for. */
export function endsAsTold({ death }: Ordeal, { record, outcome }: ScenarioResult): string[] {
  const abort = record?.signals.findLast(({ kind }) => kind === 'abort');
  if (abort === undefined || death !== null || outcome.outcome === 'Aborted') return [];
  // Another one took the runtime from a process that stood still.
  if (outcome.reason === ErrorName.LeaseLost) return [];
  const isKept = outcome.outcome === 'Errored' && (abort.onFailure ?? 'hold') !== 'hold';
  return isKept ? [] : [`it was aborted, and ended as ${outcome.outcome}`];
}

/** Wherever an abort finds it that asks for a way back, what was rolled goes back, unless an error ends it first. */
export function lateAbortIsFollowed(ordeal: Ordeal, run: Observed): string[] {
  const { people, badReleases, earlier } = ordeal;
  const abort = run.record?.signals.findLast(({ kind }) => kind === 'abort');
  const isAlone = !people.some(isRelease) && badReleases === 0 && earlier === null;
  const hasFailed = run.executions.some(({ runs }) => runs.some(({ error }) => error !== null));
  if (!isAlone || !isSteady(ordeal) || hasFailed || abort?.onFailure !== 'roll-back') return [];
  const isRolled = run.calls.some((call) => isWrite(call) && call.answer === 'accepted');
  return isRolled && run.record?.rollback === null ? ['it was told to roll back, and did not'] : [];
}

/** An abort that asks for stops has them all looked at. Only an error, or a way back, keeps it from them. */
export function stopsAreFollowed(ordeal: Ordeal, run: Observed): string[] {
  const { people, lists, writes, badReleases, clock, stall } = ordeal;
  const { record, outcome } = run;
  const isAlone =
    (isSteady(ordeal) || (clock === null && stall === null && isAskedAfterTheDeath(ordeal, run))) &&
    lists.length + writes.length === 0 &&
    people.every(({ kind }) => kind === 'abort');
  const abort = record?.signals.findLast(({ kind }) => kind === 'abort');
  if (!isAlone || badReleases > 0 || abort?.onFailure !== 'stop-old') return [];
  return record?.rollback === null && outcome.cleanup === 'incomplete'
    ? [`it was told to stop the old endpoints, and left some: ${outcome.message}`]
    : [];
}

/**
 * The abort came just before the outcome was stored, no stop had been meant by then, and no step has failed from then
 * on.
 */
function isAskedAfterTheDeath({ word }: Ordeal, { executions, record }: Observed): boolean {
  const isMeant = record?.journal.some(({ operation }) => operation === 'stop') ?? false;
  if (word?.at !== 'close' || executions.length !== 1 || isMeant) return false;
  const runs = executions.flatMap((execution) => execution.runs);
  const closing = runs.findIndex(({ state }) => state === 'Close rollout');
  return closing >= 0 && runs.slice(closing).every(({ error }) => error === null);
}

/**
 * An abort that asks for stops is followed also where nothing has failed, so no endpoint is spared because it may
 * still get there. One that was accepted before the way back had its plan keeps the rollout from going back.
 */
export function askedForIsStopped(
  { clock, stall, latencyMs }: Pick<Ordeal, 'clock' | 'stall' | 'latencyMs'>,
  { record, turnedAt }: Pick<ScenarioResult, 'record' | 'turnedAt'>,
): string[] {
  if (record === null || clock !== null || stall !== null) return [];
  const aborts = record.signals.filter(({ kind }) => kind === 'abort');
  const failedAt = record.events.find(({ kind }) => kind === 'failing')?.at;
  // From its containment on, every look at the signals has shown it.
  const isAsked = aborts.some(({ at }) => failedAt !== undefined && at < failedAt);
  const spared = record.journal.filter(
    ({ operation, result, reason }) =>
      operation === 'stop' && result === 'kept' && reason === 'recovering',
  );
  // What is said at the very moment of the turn may come before it or after it. A turn reads the signals, and then the list
  // that its plan is drawn on: its rolls hear what is said meanwhile.
  const last = turnedAt === null ? undefined : aborts.findLast(({ at }) => at <= turnedAt);
  const isTold =
    turnedAt !== null && last?.onFailure === 'stop-old' && last.at < turnedAt - latencyMs;
  return [
    ...(isAsked ? spared : []).map(
      ({ endpointId }) => `${endpointId} was to be stopped, and was kept as recovering`,
    ),
    ...(isTold ? ['it was told to stop the old endpoints, and turned around'] : []),
  ];
}

/** Once it has told that it fails, it fails, for that reason unless it was ended from outside, and rolls nothing more. */
export function failsAsTold(
  { clock }: Ordeal,
  { record, told, outcome }: ScenarioResult,
): string[] {
  const failing = told.find((event) => event.kind === 'failing');
  if (record === null || failing === undefined) return [];
  const isOther = outcome.outcome === 'Failed' && outcome.reason !== failing.reason;
  const isRolled = record.journal.some(
    ({ operation, result, at }) =>
      operation === 'roll' && result === 'intended' && at > failing.at && clock === null,
  );
  return [
    ...(outcome.outcome === 'Succeeded' || isOther
      ? [`it told that it fails with ${failing.reason}, and ended with ${outcome.reason}`]
      : []),
    ...(isRolled ? ['it rolled after it had told that it fails'] : []),
  ];
}

/** Unless its list could not be read, or somebody ended it from outside. */
export function endsForItsReason(ordeal: Ordeal, { record, outcome }: ScenarioResult): string[] {
  const failing = record?.events.find((event) => event.kind === 'failing');
  const isAborted = record?.signals.some(({ kind }) => kind === 'abort');
  const isAlone = isSteady(ordeal) && ordeal.lists.length + ordeal.guises.length === 0;
  if (record?.rollback == null || failing === undefined || isAborted || !isAlone) return [];
  // So many endpoints may vanish that no list proves anything.
  if (ordeal.broken.some(({ kind }) => kind === 'vanish')) return [];
  return outcome.reason === failing.reason || outcome.reason === ErrorName.LeaseLost
    ? []
    : [`it went back because of ${failing.reason}, and ended with ${outcome.reason}`];
}

/** So old may a list be when a write is sent that it was read for. */
const LONGEST_LIST_TRUST_MS = 10_000;

/** A write follows its list at once. A process that stood still in between looks once more. */
export function writesFollowAtOnce(
  { clock, latencyMs, wire }: Ordeal,
  { calls }: ScenarioResult,
): string[] {
  if (clock !== null) return [];
  const longest = LONGEST_LIST_TRUST_MS + (wire === null ? latencyMs : handOverMs({ wire }));
  let readAt = 0;
  return calls.flatMap((call) => {
    if (isList(call) && call.endpoints !== null) readAt = call.at;
    const age = call.at - readAt;
    return isWrite(call) && age > longest
      ? [`${call.operation} of ${call.endpointId} ${age} ms after a list was read`]
      : [];
  });
}

/** Nothing is repeated blindly, whatever the service answered. */
export function repeatsRestOnALook(_: Ordeal, { calls }: ScenarioResult): string[] {
  const lastSent = new Map<string, number>();
  let readAt = -1;
  return calls.flatMap((call, index) => {
    if (isList(call) && call.endpoints !== null) readAt = index;
    if (!isWrite(call)) return [];
    const kind = `${call.operation} of ${call.endpointId}`;
    const isBlind = (lastSent.get(kind) ?? -1) > readAt;
    lastSent.set(kind, index);
    return isBlind ? [`${kind} again, and no list was read in between`] : [];
  });
}

/**
 * The list just before a stop shows the endpoint no better than the one on which the rollout failed: what
 * had failed has a failed status, what was missing is not stopped, and what did not roll does not roll.
 */
export function stopsShowTheirReason(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, told } = run;
  const failing = told.find(({ kind }) => kind === 'failing');
  const isClear = ordeal.death === null && ordeal.clock === null && ordeal.latencyMs > 0;
  const policy = record?.request.policy;
  if (!record || !policy || failing === undefined || !isClear) return [];
  const lists = calls.filter(isList).filter(({ at }) => at <= failing.at);
  const then = lists.findLast(({ endpoints }) => endpoints !== null)?.endpoints ?? [];
  return calls.flatMap((call, index) => {
    const read = calls[index - 1];
    if (call.operation !== 'stop' || read?.operation !== 'list') return [];
    const isAskedFor = record.signals.some(({ kind, at }) => kind === 'abort' && at <= call.at);
    const planned = record.plan?.endpoints.find((one) => one.endpointId === call.endpointId);
    if (isAskedFor || planned?.wrongBefore.includes('failed')) return [];
    const find = (endpoints: readonly Endpoint[]) =>
      endpoints.find(({ id }) => id === call.endpointId);
    const why = whatIsBetter(find(then), find(read.endpoints ?? []), policy);
    return why === null ? [] : [`${call.endpointId} was stopped, although ${why}`];
  });
}

function whatIsBetter(
  then: Endpoint | undefined,
  now: Endpoint | undefined,
  { statuses }: RolloutPolicy,
): string | null {
  if (now === undefined) return 'nobody saw it';
  if (then === undefined) return 'it had been missing';
  if (isFailed(now, statuses)) return null;
  if (isFailed(then, statuses)) return 'its failed status was gone';
  const hasBegun = then.targetVersion !== null && then.targetVersion !== 2;
  return hasBegun && now.targetVersion === 2 ? 'it had begun to roll' : null;
}
