import {
  type Endpoint,
  isConverged,
  isFailed,
  isStopped,
  type PlannedEndpoint,
  type StatusWords,
} from './endpoint.ts';
import type { Direction } from './journal.ts';
import {
  hasNotStarted,
  isRefused,
  REGISTERING_MS,
  type RollHistory,
  TARGET_TAKEN,
  wasSent,
} from './rolls.ts';

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: not rolled yet.
 * - `requested`: the roll was sent, the target version does not show it yet.
 * - `progressing`: the target is the desired version, the live version is not there yet.
 * - `converged`: target = live = desired, and the status is not a known failure.
 * - `failed`: a known failure, or the service refused the roll.
 * - `missing`: not in the list.
 * - `reverted`: it had the desired target and shows an earlier one: an old answer, or somebody else. A
 *   minute and three reads of it are somebody else.
 * - `superseded`: somebody else moved it. Once seen, it stays so.
 */
export const ENDPOINT_STATES = [
  'pending',
  'requested',
  'progressing',
  'converged',
  'failed',
  'missing',
  'reverted',
  'superseded',
] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** An endpoint's state, and how many consecutive complete reads have said so. */
export interface Observation {
  readonly state: EndpointState;
  readonly reads: number;
  /** Its target was the desired version once: an earlier target is not ours any more. */
  readonly hadTarget?: true;
  /** Of `pending`: it is on its way already, to a version that was asked for before. */
  readonly isMoving?: true;
  /** It is live on the version, and has 0 replicas. */
  readonly isDark?: true;
  /** On the way back: it was broken when it was chosen to go, so it takes nobody's place. */
  readonly isBroken?: true;
  /**
   * Milliseconds since the Unix epoch: the first read that said so. Of `reverted`, and of `progressing` that looks as
   * if it were there but may be an old answer.
   */
  readonly since?: number;
  /** How far it has got before, where that was further than this. */
  readonly furthest?: number;
}

/** Everything that is known of one endpoint when it is judged. */
export interface Evidence {
  readonly direction: Direction;
  readonly planned: PlannedEndpoint;
  /** The endpoint in a complete read of the list; `undefined` when it is not in there. */
  readonly endpoint: Endpoint | undefined;
  readonly history: RollHistory;
  /** What the read before this one said; `undefined` at the wave's first read. */
  readonly before: Observation | undefined;
  /** Milliseconds since the Unix epoch: when it was read. */
  readonly now: number;
}

/** Adds one complete read to what the reads before it said. */
export function observeEndpoint(evidence: Evidence, statuses: StatusWords): Observation {
  const { before, endpoint, planned } = evidence;
  // Not said is neither there nor gone: the reads that count begin anew.
  if (before?.state === 'converged' && isSilent(endpoint, planned)) return { ...before, reads: 0 };
  const state = before?.state === 'superseded' ? 'superseded' : stateOf(evidence, statuses);
  const reads = before?.state === state ? before.reads + 1 : 1;
  const since = state === 'reverted' || isInDoubt(evidence, state) ? sinceOf(evidence) : undefined;
  return {
    state,
    reads,
    ...(hasTaken(evidence) && { hadTarget: true as const }),
    ...(state === 'pending' && isMoving(endpoint) && { isMoving: true as const }),
    ...(endpoint?.replicas === 0 && isLive(planned, endpoint) && { isDark: true as const }),
    ...(goesAsBroken(evidence, state, statuses) && { isBroken: true as const }),
    ...(since !== undefined && { since }),
  };
}

/** It looks as if it were there, and an old answer would look the same. */
function isInDoubt({ planned, endpoint }: Evidence, state: EndpointState): boolean {
  return state === 'progressing' && endpoint !== undefined && isLive(planned, endpoint);
}

/** Since when reads have said so. A clock that was set back begins anew. */
function sinceOf({ before, now }: Evidence): number {
  return Math.min(before?.since ?? now, now);
}

function isMoving(endpoint: Endpoint | undefined): boolean {
  const { targetVersion = null, liveVersion = null } = endpoint ?? {};
  return targetVersion !== null && targetVersion !== liveVersion;
}

/** Until it is on its way back, this read decides; then what it went as. */
function goesAsBroken(
  { planned, endpoint, before }: Evidence,
  state: EndpointState,
  statuses: StatusWords,
): boolean {
  if (planned.isBroken !== true) return false;
  if (state === 'pending' || state === 'requested') {
    return endpoint !== undefined && isFailed(endpoint, statuses);
  }
  return before === undefined || before.isBroken === true;
}

/** It says neither target nor any other live version than the desired one. */
function isSilent(endpoint: Endpoint | undefined, { desiredVersion }: PlannedEndpoint): boolean {
  if (endpoint === undefined || endpoint.targetVersion !== null) return false;
  return endpoint.liveVersion === null || endpoint.liveVersion === desiredVersion;
}

/**
 * Whether it surely has taken the desired target. An endpoint that was on that version before, as every one was on the
 * way back, looks in an old answer as if it were there again. So what tells is the service's answer to the roll, or a
 * read that shows it on its way; and where neither does, that reads show it for as long as no old answer would. On the
 * way forward an answer that does not show the target is believed as well.
 */
function hasTaken(evidence: Evidence): boolean {
  const { direction, planned, endpoint, history, before } = evidence;
  const { desiredVersion, previousTarget } = planned;
  if (before?.hadTarget === true || before?.state === 'converged') return true;
  if (endpoint?.targetVersion !== desiredVersion) return false;
  const { result, reason } = history.last ?? {};
  const isForward = direction === 'forward';
  const isAnswered = result === 'accepted' && (isForward || reason === TARGET_TAKEN);
  const wasOnItsWay = isForward && previousTarget === desiredVersion;
  return isAnswered || wasOnItsWay || isOnItsWay(planned, endpoint) || hasShownForLong(evidence);
}

/** To the desired version, from the one that it had before the plan. */
export function isOnItsWay(
  { desiredVersion, previousVersion }: PlannedEndpoint,
  { targetVersion, liveVersion }: Endpoint,
): boolean {
  const isAtPrevious = liveVersion !== null && liveVersion === previousVersion;
  return targetVersion === desiredVersion && isAtPrevious && liveVersion !== desiredVersion;
}

function hasShownForLong({ before, now }: Evidence): boolean {
  if (before?.state !== 'progressing' || before.since === undefined) return false;
  return before.reads + 1 >= REGISTERING_READS && now - before.since >= REGISTERING_MS;
}

function isLive({ desiredVersion }: PlannedEndpoint, { targetVersion, liveVersion }: Endpoint) {
  return targetVersion === desiredVersion && liveVersion === desiredVersion;
}

function stateOf(evidence: Evidence, statuses: StatusWords): EndpointState {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined) return 'missing';
  if (isForeign(planned, endpoint)) return 'superseded';
  if (isWhereItGoes(evidence, endpoint, statuses)) {
    return hasTaken(evidence) ? 'converged' : 'progressing';
  }
  if (isStopped(endpoint, statuses)) return evidence.direction === 'back' ? 'superseded' : 'failed';
  if (isFailed(endpoint, statuses)) return stateOfFailed(evidence, endpoint);
  if (endpoint.targetVersion === planned.desiredVersion) return 'progressing';
  if (isRefused(history)) return 'failed';
  return stateBeforeTarget(evidence);
}

/** On the way back, one that had failed or had no replicas before the rollout is there as it was. */
function isWhereItGoes(
  { direction, planned }: Evidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): boolean {
  if (isConverged(endpoint, planned.desiredVersion, statuses)) return true;
  if (direction === 'forward' || isStopped(endpoint, statuses)) return false;
  const hasFailed = isFailed(endpoint, statuses) && !planned.failedBefore;
  const isDark = endpoint.replicas === 0 && planned.wasDark !== true;
  return isLive(planned, endpoint) && !hasFailed && !isDark;
}

/** A failed status proves nothing of an endpoint that had one before: it may heal on its way. */
function stateOfFailed(evidence: Evidence, endpoint: Endpoint): EndpointState {
  const { planned, history } = evidence;
  const isKnown = planned.failedBefore || planned.isBroken === true || planned.isUnsettled === true;
  if (wasSent(history) && !isKnown) return 'failed';
  if (endpoint.targetVersion !== planned.desiredVersion) {
    return isRefused(history) ? 'failed' : stateBeforeTarget(evidence);
  }
  // Rolled there before, and failed on its way: it needs another roll.
  return planned.failedBefore && !wasSent(history) ? 'pending' : 'progressing';
}

/** The target does not show the desired version: not yet, or no longer. */
function stateBeforeTarget({ endpoint, history, before, now }: Evidence): EndpointState {
  if (before?.hadTarget === true) {
    if (endpoint?.targetVersion === null) return 'progressing';
    return isTakenBack(before, now) ? 'superseded' : 'reverted';
  }
  if (hasNotStarted(history, now)) return 'failed';
  return wasSent(history) ? 'requested' : 'pending';
}

/** An earlier target for longer than an old answer would show it. */
function isTakenBack({ state, reads, since = 0 }: Observation, now: number): boolean {
  return state === 'reverted' && reads + 1 >= REGISTERING_READS && now - since >= REGISTERING_MS;
}

/**
 * Whether somebody else has moved it: its target is neither one that was there before the plan nor the one that
 * the plan asks for. Where the target says nothing of that, the live version does: one that nobody here knows,
 * of an endpoint that is not on its way to the desired version.
 */
export function isForeign(planned: PlannedEndpoint, endpoint: Endpoint): boolean {
  const { targetVersion, liveVersion } = endpoint;
  if (targetVersion === planned.desiredVersion) return false;
  return isUnknownTo(planned, targetVersion) || isUnknownTo(planned, liveVersion);
}

/** A version that was not there before the plan, and that the plan does not ask for. Some services say 0 for none. */
export function isUnknownTo(planned: PlannedEndpoint, version: number | null): boolean {
  const { desiredVersion, previousVersion, previousTarget } = planned;
  const isNone = version === null || version === 0;
  return !isNone && ![desiredVersion, previousVersion, previousTarget].includes(version);
}

/** Consecutive complete reads that must agree before an endpoint counts as converged or failed. */
export const SETTLING_READS = 2;

/** Consecutive complete reads without an endpoint before it counts as vanished: one read may be stale. */
const VANISHING_READS = 3;

/** Consecutive complete reads without the desired target before a roll may be made once more. */
export const REGISTERING_READS = 3;

// What consecutive reads prove of one endpoint. One read proves nothing: it may be an old answer.

export function hasConverged({ state, reads }: Observation): boolean {
  return state === 'converged' && reads >= SETTLING_READS;
}

export function hasFailed({ state, reads }: Observation): boolean {
  return state === 'failed' && reads >= SETTLING_READS;
}

export function hasVanished({ state, reads }: Observation): boolean {
  return state === 'missing' && reads >= VANISHING_READS;
}

/** One more read has to say the same before this one counts. */
export function needsAnotherRead({ reads }: Observation): boolean {
  return reads < SETTLING_READS;
}

/** Whether an endpoint that had converged surely is not any more. */
export function isSurelyLost({ state, reads }: Observation): boolean {
  // An earlier target may be an old answer for a while: then it becomes superseded.
  if (state === 'converged' || state === 'reverted') return false;
  if (state === 'superseded') return true;
  return reads >= (state === 'missing' ? VANISHING_READS : SETTLING_READS);
}

/** Rolled, and read after read its target does not show it. */
export function isLongUnregistered(observation: Observation): boolean {
  return isUnregistered(observation) && observation.reads >= REGISTERING_READS;
}

export function isLostForGood(observation: Observation): boolean {
  return hasFailed(observation) || hasVanished(observation) || observation.state === 'superseded';
}

/** Rolled, and its target has never shown it. */
export function isUnregistered({ state, hadTarget }: Observation): boolean {
  return state === 'requested' && hadTarget !== true;
}

/** Touched and not settled yet: it counts against the number that may be unavailable. */
export function isInMidRoll(observation: Observation): boolean {
  return (
    observation.state !== 'pending' && !hasConverged(observation) && !isLostForGood(observation)
  );
}
