import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { estimateRollout } from '../../../../lib/domain/planning/estimate.ts';
import { type Call, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { REFUSED } from '../../../support/read-evidence.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import type { Undone } from '../to-undo.ts';
import { longestOpeningSeconds } from './opening.ts';
import { isInOrder, wavesFollowPolicy } from './plan.ts';

// What is known for certain of a rollout that undoes another one.

/** What it may have rolled is where it was before, and nothing else was written to. */
export function goesBack(ordeal: Ordeal, run: Observed): string[] {
  const { undone, record } = run;
  // Another judge says when it is refused.
  if (undone === null || undone.run.outcome.reason === 'Quarantined') return [];
  const planned = record?.plan?.endpoints ?? [];
  const fates = planned.map((one) => ({ ...one, fate: fateOf(one, ordeal, run) }));
  const written = [
    ...undone.run.calls.filter(isWrite),
    ...(undone.run.record?.plan?.endpoints ?? []),
  ];
  const isQuiet = isUndisturbed(ordeal, run);
  const isMissed = ({ endpointId, previousVersion }: PlannedEndpoint) =>
    undone.after.find(({ id }) => id === endpointId)?.liveVersion !== previousVersion;
  const leftOut = undone.run.record?.plan?.leftOut ?? [];
  const { outcome, reason, message } = undone.run.outcome;
  const isNothing = planned.length === 0 && record?.request.desiredVersion === null;
  const version = undone.run.record?.request.desiredVersion;
  const isBefore = planned.some(({ previousVersion }) => previousVersion === version);
  return [
    ...everyoneHasAPlace(ordeal, run),
    ...(written.length > 0 && !isBefore ? [`it goes to version ${version}`] : []),
    ...written
      .filter((each) => fates.every((one) => !isOf(one)(each) || one.fate === 'left'))
      .map(({ endpointId }) => `${endpointId} was to be left alone`),
    ...fates
      .filter(({ fate }) => isQuiet && fate === 'back')
      .filter(isMissed)
      .map(({ name }) => `${name} is not back: ${message}`),
    ...fates
      .filter(({ fate }) => fate === 'back')
      .filter((one) => leftOut.some((each) => isOf(one)(each) && each.reason === 'moved'))
      // It may have vanished just when that began.
      .filter(({ endpointId }) => undone.after.some(({ id }) => id === endpointId))
      .map(({ name }) => `${name} was left out as moved`),
    ...(isNothing === (reason === 'NothingToRevert') ? [] : [`it ended as ${reason}: ${message}`]),
    ...(isQuiet && !isNothing && outcome !== 'Succeeded'
      ? [`nothing went wrong, and it ended as ${outcome}: ${message}`]
      : []),
  ];
}

function isOf({ endpointId }: PlannedEndpoint): (each: { readonly endpointId: string }) => boolean {
  return (each) => each.endpointId === endpointId;
}

/** What the undone rollout has surely rolled counts, and nothing that it cannot have rolled. */
export function namesItsVersion(_: Ordeal, { undone, record, calls }: Observed): string[] {
  const named = undone?.run.record?.request.desiredVersion ?? null;
  if (named === null || record === null) return [];
  const lowestOf = (isRolled: (planned: PlannedEndpoint) => boolean) =>
    Math.min(
      ...(record.plan?.endpoints ?? [])
        .filter(isRolled)
        .flatMap(({ previousVersion }) => (Number(previousVersion) >= 1 ? previousVersion : null))
        .map((version) => version ?? Number.POSITIVE_INFINITY),
    );
  const ofSent = lowestOf((one) =>
    calls.some((call) => isRollOf(one)(call) && isWrite(call) && !REFUSED.has(call.answer ?? '')),
  );
  const ofMeant = lowestOf(({ endpointId }) =>
    record.journal.some((line) => line.endpointId === endpointId && line.operation === 'roll'),
  );
  const due = Number.isFinite(ofSent) ? ofSent : record.request.desiredVersion;
  return ofSent === ofMeant && named !== due
    ? [`it names version ${named}, and goes to ${due}`]
    : [];
}

/** Every endpoint of the list goes back or is left out, those that it has not rolled as not selected. */
function everyoneHasAPlace({ broken }: Ordeal, { undone, record }: Observed): string[] {
  const plan = undone?.run.record?.plan;
  // What vanishes just before the read has no place.
  if (plan == null || broken.some(({ kind }) => kind === 'vanish')) return [];
  const placed = [...plan.endpoints, ...plan.leftOut].map(({ endpointId }) => endpointId);
  const isPlanned = (id: string) =>
    record?.plan?.endpoints.some(({ endpointId }) => endpointId === id) === true;
  const isOther = ({ id }: Endpoint) => !isPlanned(id);
  const reasonFor = ({ id }: Endpoint) =>
    plan.leftOut.find(({ endpointId }) => endpointId === id)?.reason ?? 'none';
  return [
    ...(new Set(placed).size === placed.length ? [] : ['an endpoint has two places']),
    ...(undone?.before ?? [])
      .filter(({ id }) => !placed.includes(id))
      .map(({ name }) => `${name} has no place`),
    ...(undone?.before ?? [])
      .filter(isOther)
      .filter((one) => reasonFor(one) !== (one.name === 'DEFAULT' ? OWN : 'not-selected'))
      .map((one) => `${one.name} is left out as ${reasonFor(one)}`),
  ];
}

const OWN = 'moved-by-service';

type Fate = 'back' | 'left' | 'unknown';

/** What becomes of an endpoint, as far as what the world has seen tells for certain. */
function fateOf(planned: PlannedEndpoint, ordeal: Ordeal, run: Observed): Fate {
  const { endpointId, previousVersion, desiredVersion } = planned;
  const { calls, record, undone } = run;
  const mayBeRolled =
    calls.some(isRollOf(planned)) ||
    record?.journal.some((one) => one.endpointId === endpointId && one.operation === 'roll');
  const endpoint = undone?.before.find(({ id }) => id === endpointId);
  const isKnown = previousVersion !== null && previousVersion >= 1;
  if (!mayBeRolled || !isKnown) return 'left';
  // A list that is old still shows what has vanished.
  if (endpoint === undefined) return ordeal.undo?.oldReads === 0 ? 'left' : 'unknown';
  return hasSettled(ordeal, run) && previousVersion !== desiredVersion
    ? fateOfShown(endpoint, planned, run)
    : 'unknown';
}

/** Nothing of what the rollout wrote is on its way, and what a list may hide is what it did. */
function hasSettled({ undo, writes, broken, people }: Ordeal, { outcome }: Observed): boolean {
  if (undo === null || undo.oldReads === 0) return writes.length === 0 || undo?.afterSeconds !== 0;
  const isAlone = writes.length + broken.length + people.length + undo.meanwhile.length === 0;
  return isAlone && outcome.reason === 'Converged';
}

/** What becomes of an endpoint that may have been rolled, and that nothing moves by itself. */
function fateOfShown(
  { liveVersion, targetVersion, status, replicas }: Endpoint,
  planned: PlannedEndpoint,
  { calls, record, undone }: Observed,
): Fate {
  const { previousVersion, desiredVersion, endpointId } = planned;
  // Where it says nothing, or 0, it does not say that somebody else has it.
  const isOurs = (version: number | null) =>
    [previousVersion, desiredVersion, null, 0].includes(version);
  const isStopped = status?.startsWith('STOPP') === true;
  if (isStopped || !isOurs(liveVersion) || !isOurs(targetVersion)) return 'left';
  const isBack = liveVersion === previousVersion && targetVersion === previousVersion;
  const rolls = calls.filter(isWrite).filter((call) => call.endpointId === endpointId);
  // After a crash, what was only intended may have been sent.
  const intended = record?.journal.filter((one) => one.endpointId === endpointId) ?? [];
  const lastAt = Math.max(0, ...[...rolls, ...intended].map(({ at }) => at));
  const agoMs = Number(undone?.startedAt) - lastAt;
  const isWell = status === 'ACTIVE' && replicas !== 0;
  if (isBack) return isWell && agoMs > REGISTERED_MS ? 'left' : 'unknown';
  const isAccepted = rolls.some((call) => isRollOf(planned)(call) && call.answer === 'accepted');
  return isAccepted ? 'back' : 'unknown';
}

/** After this time no list shows an endpoint as it was before its roll. */
const REGISTERED_MS = 90_000;

function isRollOf({ endpointId, desiredVersion }: PlannedEndpoint): (call: Call) => boolean {
  return (call) =>
    isWrite(call) && call.endpointId === endpointId && call.version === desiredVersion;
}

/** Nothing keeps an endpoint from going back to the version before. */
function isUndisturbed(ordeal: Ordeal, run: Observed): boolean {
  const { broken, undo, policy, guises } = ordeal;
  // An old list is to be seen through only for a minute after a roll.
  const firstAt = run.calls.find(isWrite)?.at ?? 0;
  const isOld = undo?.oldReads !== 0 && Number(run.undone?.startedAt) - firstAt > HALF_MINUTE_MS;
  // Back on the new version it has the same faults again.
  const isPast = run.record?.plan?.endpoints.every(
    ({ previousVersion, desiredVersion }) => previousVersion !== desiredVersion,
  );
  return (
    (broken.length === 0 || isPast === true) &&
    broken.every(({ version = 2, kind }) => version === 2 && STAYS.has(kind)) &&
    hasSettled(ordeal, run) &&
    !isOld &&
    guises.length === 0 &&
    policy.progressDeadlineSeconds >= 180
  );
}

const HALF_MINUTE_MS = 30_000;

/** With these faults of the new version, an endpoint does not move by itself. */
const STAYS: ReadonlySet<string> = new Set(['stuck', 'fail', 'slow', 'crash']);

/** It begins at once, asks nobody, and takes no longer than its rolls. */
export function nothingHoldsUndo(ordeal: Ordeal, result: Observed): string[] {
  const { undone } = result;
  if (undone === null) return [];
  const { startedAt, run } = undone;
  const { record, gates, outcome } = run;
  const plan = record?.plan ?? null;
  const beganAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const openingSeconds = ((beganAt ?? startedAt) - startedAt) / 1000;
  return [
    ...(gates.length === 0 ? [] : [`a gate was asked: ${gates[0]?.asked}`]),
    ...(outcome.reason === 'OutsideWindow' ? [`it was refused: ${outcome.message}`] : []),
    ...(openingSeconds > longestOpeningSeconds(ordeal)
      ? [`it began after ${openingSeconds} s`]
      : []),
    ...(plan === null ? [] : wavesFollowPolicy(ordeal.policy, plan)),
    ...(plan === null ? [] : isInOrder(ordeal.policy, plan)),
    ...(plan?.waves.every(({ bakeSeconds }) => bakeSeconds === 0) === false ? ['it bakes'] : []),
    ...takesItsTime(ordeal, result, undone),
  ];
}

/** Where everything has gone well, it takes as long as a rollout without a bake, and one roll for each endpoint. */
function takesItsTime(ordeal: Ordeal, result: Observed, { startedAt, run }: Undone): string[] {
  const { broken, writes, people, latencyMs, undo, rollSeconds, guises } = ordeal;
  const { plan, request, endedAt } = run.record ?? {};
  const isHale =
    [broken, writes, people, guises].every((each) => each.length === 0) &&
    latencyMs + Number(undo?.oldReads) === 0;
  // Whoever listens looks at once when a hold is lifted.
  if (ordeal.held?.listens) return [];
  if (!isHale || result.outcome.reason !== 'Converged' || undo?.meanwhile.length !== 0) return [];
  if (plan == null || request?.policy == null || plan.endpoints.length === 0) return [];
  const estimate = estimateRollout(plan, request.policy, rollSeconds);
  const seconds = (Number(endedAt) - startedAt) / 1000;
  const rolls = run.calls.filter(isWrite).length;
  return seconds === estimate.seconds && rolls === estimate.rolls
    ? []
    : [
        `it took ${seconds} s and ${rolls} rolls, and not ${estimate.seconds} s and ${estimate.rolls}`,
      ];
}

/** It only rolls what it undoes to the version before: it stops nothing, and rolls nothing forward. */
export function nothingIsRolledAgain(_: Ordeal, { undone, record }: Observed): string[] {
  const planned = record?.plan?.endpoints ?? [];
  const isBack = ({ operation, endpointId, version }: WriteCall) =>
    operation === 'roll' &&
    planned.some((one) => one.endpointId === endpointId && one.previousVersion === version);
  const writes = undone?.run.calls.filter(isWrite) ?? [];
  return writes
    .filter((call) => !isBack(call))
    .map(({ operation, endpointId, version }) => `${operation} of ${endpointId} to ${version}`);
}
