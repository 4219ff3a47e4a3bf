import type { Watched } from '../clock.ts';
import { oneLine } from '../sentences.ts';
import type { Attempts } from './attempts.ts';
import {
  type Endpoint,
  isBusy,
  isConverged,
  isFailed,
  isStopped,
  matchesAny,
  type PlannedEndpoint,
  type StatusWords,
  targetOf,
  troublesOf,
} from './endpoint.ts';
import type { Leg } from './leg.ts';
import {
  type EndpointState,
  isTakenAway,
  mayStillBeLive,
  type Observation,
  SETTLED_BY,
  SETTLING_READS,
  wasConfirmed,
} from './observation.ts';
import {
  ANSWER_UNREADABLE,
  hasNotStarted,
  isRefused,
  REGISTERING_MS,
  TARGET_TAKEN,
  wasSent,
} from './rolls.ts';
import { unknownWordOf } from './status-words.ts';

export interface Evidence {
  readonly leg: Leg;
  readonly planned: PlannedEndpoint;
  /** The endpoint in a complete read of the list; `undefined` when it is not in there. */
  readonly endpoint: Endpoint | undefined;
  readonly history: Attempts;
  /** Only in a rollback: when the endpoint was rolled forward the last time. @default - never */
  readonly rolledForwardAt?: Watched | undefined;
  /** What the read before this one said; `undefined` at the wave's first read. */
  readonly before: Observation | undefined;
  /** Status words that are known besides those of the policy. @default - none */
  readonly restingWords?: readonly string[] | undefined;
  /** Somebody has pinned it. @default false */
  readonly isPinned?: boolean | undefined;
  readonly now: Watched;
}

/** Adds one complete read to what the reads before it said. */
export function observeEndpoint(evidence: Evidence, statuses: StatusWords): Observation {
  const { before, endpoint, planned } = evidence;
  // The service says nothing against the endpoint now, so it is neither converged nor lost: counting begins anew.
  const tellsNothing = isSilent(endpoint, planned, statuses);
  const isQuiet = tellsNothing && before !== undefined && mayStillBeLive(before);
  const state = isQuiet ? 'converged' : stateOf(evidence, statuses);
  const unknownStatus = unknownStatusOf(evidence, state, statuses);
  const since = sinceOf(evidence, state);
  const elsewhere = elsewhereOf(evidence, state);
  return {
    state,
    reads: isQuiet || unknownStatus !== undefined ? 0 : readsOf(evidence, state),
    ...(hasTaken(evidence) && { hadTarget: true as const }),
    ...(before?.state === 'converged' && state !== 'converged' && { wasConverged: true as const }),
    ...(state === 'pending' && mayBeMoving(evidence) && { isMoving: true as const }),
    ...(state === 'pending' && endpoint && isBusy(endpoint, statuses) && { isBusy: true as const }),
    ...(tellsNothing && isInDoubt(endpoint, state, statuses) && { isSilent: true as const }),
    ...(unknownStatus !== undefined && { unknownStatus }),
    ...(endpoint?.replicas === 0 && isLive(planned, endpoint) && { isDark: true as const }),
    ...(goesAsBroken(evidence, state, statuses) && { isBroken: true as const }),
    ...(since !== undefined && { since }),
    ...letGo(evidence, state),
    ...(state === 'missing' && hasShown('missing', evidence) && { isGone: true as const }),
    ...(elsewhere !== undefined && { elsewhere }),
    ...whyLost(evidence, state, statuses),
  };
}

/** What has spoken for or against the version before the pin came counts as without it. */
const STILL_OPEN: ReadonlySet<EndpointState> = new Set([
  'pending',
  'requested',
  'progressing',
  'missing',
  'reverted',
  'superseded',
]);

/** It was pinned before it got there: from then on it is left to whoever has done that, also once the pin is lifted. */
function letGo(
  { before, history, isPinned = false }: Evidence,
  state: EndpointState,
): Pick<Observation, 'isPinned'> {
  const isStoppedByOthers = state === 'failed' && !wasSent(history) && !isRefused(history);
  const isOpen = STILL_OPEN.has(state) || isStoppedByOthers;
  const isNew = isPinned && isOpen && !(before && wasConfirmed(before));
  return before?.isPinned || isNew ? { isPinned: true } : {};
}

function readsOf({ before, endpoint }: Evidence, state: EndpointState): number {
  const agreeing = before?.state === state ? before.reads + 1 : 1;
  return endpoint?.isFinal ? Math.max(SETTLING_READS, agreeing) : agreeing;
}

/** What was live before has served already, so on the way back any word is good enough. */
function unknownStatusOf(
  { leg, planned, endpoint, restingWords }: Evidence,
  state: EndpointState,
  statuses: StatusWords,
): string | undefined {
  if (state !== 'converged' || endpoint === undefined || leg.undoes !== null) return undefined;
  if (!isLive(planned, endpoint)) return undefined;
  return unknownWordOf(endpoint, statuses, restingWords);
}

const LONGEST_REASON = 200;

/** What the service says of an endpoint that has failed, or that was taken back; why a runtime was not rolled. */
function whyLost(
  { endpoint, planned, before }: Evidence,
  state: EndpointState,
  statuses: StatusWords,
): Pick<Observation, 'statusReason' | 'isBad' | 'refused'> {
  const refusal = whyRefused(endpoint);
  if (refusal !== undefined) return refusal;
  const isTakenBack = state === 'taken-back';
  const isTold = isTakenBack || (state === 'failed' && endpoint && isFailed(endpoint, statuses));
  if (!isTold || endpoint === undefined) return {};
  const said = oneLine(endpoint.statusReason ?? '', LONGEST_REASON);
  const reason = said || (isTakenBack ? before?.statusReason : undefined);
  const gotThere = planned.previousVersion !== planned.desiredVersion && isLive(planned, endpoint);
  const isBad = endpoint.isBad || gotThere || (before?.hadTarget && isElsewhere(planned, endpoint));
  return {
    ...(reason !== undefined && { statusReason: reason }),
    ...(isBad && !isTakenBack && { isBad: true }),
  };
}

/** Why a runtime was never rolled, which says nothing about the version. `undefined`: its rollout was not refused. */
function whyRefused(
  endpoint: Endpoint | undefined,
): Pick<Observation, 'statusReason' | 'refused'> | undefined {
  const { refused, statusReason } = endpoint ?? {};
  if (refused === undefined) return undefined;
  const said = oneLine(statusReason ?? '', LONGEST_REASON);
  return { refused, ...(said && { statusReason: said }) };
}

function isElsewhere({ desiredVersion }: PlannedEndpoint, { targetVersion }: Endpoint): boolean {
  return targetVersion !== null && targetVersion !== desiredVersion;
}

const ELSEWHERE: ReadonlySet<EndpointState> = new Set(['reverted', 'taken-back', 'superseded']);

/** What shows that it is not on its way for us: its target, or its live version where the target does not tell. */
function elsewhereOf(
  { planned, endpoint, before }: Evidence,
  state: EndpointState,
): Observation['elsewhere'] {
  if (!ELSEWHERE.has(state)) return undefined;
  if (before !== undefined && isTakenAway(before)) return before.elsewhere;
  const { isTaken, targetVersion = null, liveVersion = null } = endpoint ?? {};
  if (isTaken || targetVersion === planned.desiredVersion) return undefined;
  const isOfLive = !isUnknownTo(planned, targetVersion) && isUnknownTo(planned, liveVersion);
  const version = isOfLive ? liveVersion : targetVersion;
  return version === null ? undefined : { of: isOfLive ? 'live' : 'target', version };
}

/** Since when reads have shown this state. `undefined`: nobody has to know. */
function sinceOf(
  { planned, endpoint, before, now }: Evidence,
  state: EndpointState,
): Watched | undefined {
  // It looks converged, but an old answer would look the same.
  const mayBeOld = state === 'progressing' && endpoint !== undefined && isLive(planned, endpoint);
  if (state !== 'reverted' && state !== 'missing' && !mayBeOld) return undefined;
  return (before?.state === state ? before.since : undefined) ?? now;
}

/** On its way, or soon: on a way back, rolled forward less than a minute ago, and the list does not show it yet. */
export function mayBeMoving({
  planned,
  endpoint,
  rolledForwardAt,
  now,
}: Pick<Evidence, 'planned' | 'endpoint' | 'rolledForwardAt' | 'now'>): boolean {
  const { targetVersion = null, liveVersion = null } = endpoint ?? {};
  if (targetVersion !== null && targetVersion !== liveVersion) return true;
  if (rolledForwardAt === undefined || targetVersion === planned.previousVersion) return false;
  return now - rolledForwardAt < REGISTERING_MS;
}

/** Whether it counts as broken: until its way back is under way by this read, then by its state when chosen. */
function goesAsBroken(
  { planned, endpoint, before }: Evidence,
  state: EndpointState,
  statuses: StatusWords,
): boolean {
  if (planned.leftAs !== 'broken') return false;
  if (state === 'pending' || state === 'requested') {
    return endpoint !== undefined && isFailed(endpoint, statuses);
  }
  return before === undefined || before.isBroken === true;
}

/** It shows no target or no live version, none that is not the desired one, and no status that speaks against it. */
function isSilent(
  endpoint: Endpoint | undefined,
  { desiredVersion }: PlannedEndpoint,
  statuses: StatusWords,
): endpoint is Endpoint {
  if (endpoint === undefined) return false;
  if (isFailed(endpoint, statuses) || isStopped(endpoint, statuses)) return false;
  const versions = [targetOf(endpoint), endpoint.liveVersion];
  const isTold = (version: number | null) => version !== null;
  return !versions.every(isTold) && versions.filter(isTold).every((one) => one === desiredVersion);
}

/** It was rolled, and may be there. One that never was is stuck, if the service says that it is still at work on it. */
function isInDoubt({ status }: Endpoint, state: EndpointState, { busy }: StatusWords): boolean {
  const isOnItsWay = state === 'requested' || state === 'progressing';
  return state === 'converged' || (isOnItsWay && !matchesAny(status, busy));
}

/**
 * Whether the endpoint has surely taken the desired target. On a leg that takes something back, every endpoint was on
 * that version before, so an old answer looks as if it were there again. Proof is the service's answer to the roll, or a
 * read that shows it on its way. Without either, reads must show the target for longer than an old answer could. On
 * another leg we also believe an accepted roll whose answer does not show the target, or cannot be read.
 */
function hasTaken(evidence: Evidence): boolean {
  const { leg, planned, endpoint, history, before } = evidence;
  const { desiredVersion, previousTarget } = planned;
  if (before?.hadTarget === true) return true;
  if (endpoint === undefined || targetOf(endpoint) !== desiredVersion) return false;
  const { result, reason } = history.last ?? {};
  const isNew = leg.undoes === null;
  const isUnread = result === 'unknown' && reason === ANSWER_UNREADABLE;
  const isAnswered = isNew
    ? result === 'accepted' || isUnread
    : result === 'accepted' && reason === TARGET_TAKEN;
  const wasOnItsWay = isNew && previousTarget === desiredVersion;
  return (
    isAnswered ||
    wasOnItsWay ||
    isOnItsWay(planned, endpoint) ||
    hasShown('progressing', evidence, SETTLED_BY.reverted)
  );
}

/** Whether this read settles a state that takes time: the reads before have shown it, too, and for long enough. */
function hasShown(
  state: EndpointState,
  { before, now }: Evidence,
  { reads, ms } = SETTLED_BY[state],
): boolean {
  if (before?.state !== state || before.since === undefined) return false;
  return before.reads + 1 >= reads && now - before.since >= ms;
}

function isLive({ desiredVersion }: PlannedEndpoint, endpoint: Endpoint) {
  return targetOf(endpoint) === desiredVersion && endpoint.liveVersion === desiredVersion;
}

function stateOf(evidence: Evidence, statuses: StatusWords): EndpointState {
  const { planned, endpoint, history, before } = evidence;
  if (before !== undefined && isTakenAway(before)) return before.state;
  if (endpoint === undefined) return 'missing';
  if (endpoint.isTaken || isForeign(planned, endpoint)) return 'superseded';
  if (endpoint.refused !== undefined) return 'failed';
  if (isWhereItGoes(evidence, endpoint, statuses)) {
    return hasTaken(evidence) ? 'converged' : 'progressing';
  }
  if (isStopped(endpoint, statuses))
    return evidence.leg.others === 'pass' ? 'superseded' : 'failed';
  if (isFailed(endpoint, statuses)) return stateOfFailed(evidence, endpoint);
  if (endpoint.targetVersion === planned.desiredVersion) return 'progressing';
  if (isRefused(history)) return 'failed';
  return stateBeforeTarget(evidence);
}

/** On a way back, an endpoint that had failed or had no replicas before the rollout may be so again. */
function isWhereItGoes(
  { leg, planned }: Evidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): boolean {
  if (isConverged(endpoint, planned.desiredVersion, statuses)) return true;
  if (leg.undoes === null || isStopped(endpoint, statuses)) return false;
  const isAsBefore = troublesOf(endpoint, statuses).every((one) =>
    planned.wrongBefore.includes(one),
  );
  return isLive(planned, endpoint) && isAsBefore;
}

/** A failed status proves nothing about an endpoint that had one before the rollout: it may heal on its way. */
function stateOfFailed(evidence: Evidence, endpoint: Endpoint): EndpointState {
  const { planned, history } = evidence;
  const isKnown = mayBeStranded(planned) && endpoint.isFinal !== true;
  if (isRefused(history) || (wasSent(history) && !isKnown)) return 'failed';
  if (endpoint.targetVersion !== planned.desiredVersion) return stateBeforeTarget(evidence);
  return isKnown && !wasSent(history) ? 'pending' : 'progressing';
}

/**
 * It may be at its target already and hang there with a failed status, so that it needs another roll: somebody rolled
 * it to this version before us, or it failed on the way forward and the service took back its target.
 */
export function mayBeStranded({ wrongBefore, leftAs }: PlannedEndpoint): boolean {
  return wrongBefore.includes('failed') || leftAs !== undefined;
}

/** The target does not show the desired version: either not yet, or no longer. */
function stateBeforeTarget(evidence: Evidence): EndpointState {
  const { endpoint, history, before, now } = evidence;
  if (before?.hadTarget === true) {
    if (endpoint !== undefined && targetOf(endpoint) === null) return 'progressing';
    if (!hasShown('reverted', evidence)) return 'reverted';
    return evidence.leg.others === 'pass' ? 'superseded' : 'taken-back';
  }
  // Only a list that tells its target shows that it never got it.
  if (endpoint?.targetVersion !== null && hasNotStarted(history, now)) return 'failed';
  return wasSent(history) ? 'requested' : 'pending';
}

/** It has the desired target, and is moving there from the version that it had before the plan. */
export function isOnItsWay(
  { desiredVersion, previousVersion }: PlannedEndpoint,
  { liveVersion }: Endpoint,
): boolean {
  return liveVersion !== null && liveVersion === previousVersion && liveVersion !== desiredVersion;
}

/**
 * Whether the endpoint was moved, and not by us: its target is neither the one from before the plan nor the one that
 * the plan asks for. When the target does not tell, the live version does: the endpoint is not on its way to the
 * desired version, and its live version is one that neither the plan nor the time before it knows.
 */
export function isForeign(planned: PlannedEndpoint, endpoint: Endpoint): boolean {
  const { targetVersion, liveVersion } = endpoint;
  if (targetVersion === planned.desiredVersion) return false;
  return isUnknownTo(planned, targetVersion) || isUnknownTo(planned, liveVersion);
}

/** Neither the version before the plan nor that of the plan. Some services say 0 when there is none. */
export function isUnknownTo(planned: PlannedEndpoint, version: number | null): boolean {
  const { desiredVersion, previousVersion, previousTarget } = planned;
  const isNone = version === null || version === 0;
  return !isNone && ![desiredVersion, previousVersion, previousTarget].includes(version);
}
