import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isAtWork, isForeign } from '../../../support/read-evidence.ts';

// What the docs say that reads of the list show, said once more without a word of the product's own code. Where more is
// needed than they say at a glance, nothing is foreseen.

/** What consecutive reads have shown of one endpoint. */
export interface Shown {
  readonly state:
    | 'pending'
    | 'requested'
    | 'progressing'
    | 'converged'
    | 'failed'
    | 'missing'
    /** It had its target, and shows an earlier one. */
    | 'reverted'
    /** It has shown an earlier one for long: its service has put it there, or somebody. It stays so. */
    | 'taken-back'
    /** Somebody else has it, and keeps it. */
    | 'superseded';
  readonly reads: number;
  /** The first of these reads, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** How far it has ever got. */
  readonly furthest: number;
  /** On the way back: it goes beside the others, because it was broken when it turned. */
  readonly isBroken: boolean;
  /** It is on its way to another version, and is not rolled yet. */
  readonly isMoving: boolean;
  /** The service is at work on it, and it is not rolled yet. */
  readonly isAtWork: boolean;
  /** Its target was the version once. An earlier one after that is not ours. */
  readonly hadTarget: boolean;
  /** It has failed with the version live, which it had not before. */
  readonly hasFailedLive: boolean;
}

/** What was sent to an endpoint in the direction of the plan. */
export interface Sent {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The service's last word, if it does not roll the endpoint at all. */
  readonly refusal: string | null;
  /**
   * What the service said to the last roll: that it rolls, and also where to, or nothing at all. `open`: nothing, and
   * with the same token it may be sent again at once.
   */
  readonly answer: 'told' | 'accepted' | 'none' | 'open';
  /** How many rolls may have been carried out. 2: no more are made, also because of a lasting no to the second one. */
  readonly times: number;
}

export function isUnanswered({ answer }: Sent): boolean {
  return answer === 'none' || answer === 'open';
}

/** So long a list may show an earlier target. */
const REGISTERING_MS = 60_000;

/** A roll that no list has shown for a minute. */
export function isOverdue({ at, answer }: Sent, now: number): boolean {
  return answer !== 'told' && now - at >= REGISTERING_MS;
}

/** Its roll forward was less than a minute ago, and the list does not show it: it may still be carried out. */
export function mayGoForward(
  row: Endpoint | undefined,
  { previousVersion }: PlannedEndpoint,
  forwardAt: number | undefined,
  now: number,
): boolean {
  if (row === undefined || forwardAt === undefined) return false;
  return row.targetVersion !== previousVersion && now - forwardAt < REGISTERING_MS;
}

const AT_REST = {
  isBroken: false,
  isMoving: false,
  isAtWork: false,
  hasFailedLive: false,
} as const;

/**
 * Whether the service has refused a roll so that it is asked again, and not yet: a minute later while it is at work on
 * the endpoint, or else after a second, two, four and so on, and a minute at most.
 *
 * @param answers To the rolls of the endpoint so far.
 * @param at When the last one came, in milliseconds since the Unix epoch.
 */
export function isPutOff(
  answers: readonly string[],
  at: number,
  isBusy: boolean,
  now: number,
): boolean {
  if (!['UpstreamConflict', 'UpstreamNotFound'].includes(answers.at(-1) ?? '')) return false;
  const refusals = answers.filter((one) => !UNCOUNTED.has(one)).length;
  return now - at < (isBusy ? 60_000 : Math.min(60_000, 500 * 2 ** refusals));
}

/** The service could not be asked, which says nothing about the endpoint. */
export const UNCOUNTED: ReadonlySet<string> = new Set([
  ...['UpstreamTransient', 'UpstreamTimeout', 'UpstreamThrottled', 'UpstreamAuth'],
]);

const FAILED = /(^|_)(FAILED|ERROR)$/;

export function isBad({ status }: Pick<Endpoint, 'status'>): boolean {
  return FAILED.test(status ?? '');
}

export function isStopped({ status }: Pick<Endpoint, 'status'>): boolean {
  return status?.startsWith('STOPP') === true;
}

export function isSettled({ state, reads }: Shown): boolean {
  return state === 'converged' && reads >= 2;
}

export function isLost({ state, reads }: Shown): boolean {
  const isGone = state === 'missing' && reads >= 3;
  return (state === 'failed' && reads >= 2) || isGone || isElsewhere(state);
}

/** Nobody writes to it any more. */
export function isElsewhere(state: Shown['state']): boolean {
  return state === 'superseded' || state === 'taken-back';
}

export function isUnderWay(shown: Shown): boolean {
  return shown.state !== 'pending' && !isSettled(shown) && !isLost(shown);
}

/** It looks live, and so would an old answer. */
export function isUnproven({ state, hadTarget }: Shown): boolean {
  return state === 'progressing' && !hadTarget;
}

const RANKS: Readonly<Record<Shown['state'], number>> = {
  pending: 0,
  requested: 1,
  missing: 0,
  failed: 0,
  reverted: 0,
  'taken-back': 0,
  superseded: 0,
  progressing: 2,
  converged: 3,
};

/** Adds a read; `null`: nobody can say at a glance what it shows. */
export function shownBy(
  row: Endpoint | undefined,
  planned: PlannedEndpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): Shown | null {
  if (isElsewhere(before.state)) return before;
  return row !== undefined && isForeign(row, planned)
    ? { ...before, state: 'superseded', reads: 1, since: at, ...AT_REST }
    : ofOurs(row, planned, sent, before, at, isBack);
}

function ofOurs(
  row: Endpoint | undefined,
  planned: PlannedEndpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): Shown | null {
  if (row !== undefined && row.targetVersion === null)
    return silence(row, planned, sent, before, at, isBack);
  const state = row === undefined ? 'missing' : stateOf(row, planned, sent, before, at, isBack);
  if (state === null) return null;
  const { reads, since } = readAs(state, before, at);
  const rank = state === 'converged' && reads >= 2 ? 4 : RANKS[state];
  const isBroken = state === 'pending' && row !== undefined ? isBad(row) : before.isBroken;
  const isMoving =
    state === 'pending' && row !== undefined && row.targetVersion !== row.liveVersion;
  return {
    state,
    reads,
    since,
    furthest: Math.max(rank, before.furthest),
    isBroken: planned.isBroken === true && isBroken,
    isMoving,
    isAtWork: state === 'pending' && row !== undefined && isAtWork(row),
    hasFailedLive: state === 'failed' && row !== undefined && hasFailedLive(row, planned),
    hadTarget:
      row === undefined ? before.hadTarget : hasTaken(row, planned, sent, before, at, isBack),
  };
}

function hasFailedLive(
  row: Endpoint,
  { desiredVersion, previousVersion }: PlannedEndpoint,
): boolean {
  const { targetVersion, liveVersion } = row;
  const isLive = targetVersion === desiredVersion && liveVersion === desiredVersion;
  return isLive && isBad(row) && previousVersion !== desiredVersion;
}

function readAs(
  state: Shown['state'],
  before: Shown,
  at: number,
): Pick<Shown, 'state' | 'reads' | 'since'> {
  return before.state === state
    ? { state, reads: before.reads + 1, since: before.since }
    : { state, reads: 1, since: at };
}

/** A read that does not say where an endpoint goes says nothing against it. */
function silence(
  row: Endpoint,
  { desiredVersion, previousVersion, isBroken, isUnsettled }: PlannedEndpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): Shown | null {
  const { liveVersion, status } = row;
  const isSilent = liveVersion === null || liveVersion === desiredVersion;
  if (isSilent && mayBeLive(before) && !isBad({ status }) && !isStopped({ status })) {
    return { ...before, state: 'converged', reads: 0, since: at, isMoving: false, isAtWork: false };
  }
  const isKnown = isSilent || liveVersion === previousVersion;
  const isOdd = isBad({ status }) || isStopped({ status }) || isBroken || isUnsettled;
  if (!isKnown || isOdd || sent?.refusal) return null;
  if (sent !== undefined && !before.hadTarget) return null;
  // On the way back it may have looked rolled already, and that takes more to be judged.
  if (isBack && !before.hadTarget && before.furthest > RANKS.pending) return null;
  const state = before.hadTarget ? 'progressing' : 'pending';
  const furthest = Math.max(RANKS[state], before.furthest);
  const { hadTarget } = before;
  const rest = { ...AT_REST, isAtWork: state === 'pending' && isAtWork(row), hadTarget };
  return { ...readAs(state, before, at), furthest, ...rest };
}

/** It was live, and too few reads since then speak against it. */
function mayBeLive({ state, reads, furthest }: Shown): boolean {
  const isAway = state !== 'converged' && state !== 'reverted';
  return furthest >= RANKS.converged && !(isAway && reads >= (state === 'missing' ? 3 : 2));
}

/**
 * It has taken its target. What looks live may be an old answer, unless its roll was answered, a read has shown it on its
 * way, or all have shown it live for a minute. On the way back the answer has to show the target.
 */
function hasTaken(
  { targetVersion, liveVersion }: Endpoint,
  { desiredVersion, previousVersion, previousTarget }: PlannedEndpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): boolean {
  if (before.hadTarget || targetVersion !== desiredVersion) return before.hadTarget;
  const isAnswered = isBack ? sent?.answer === 'told' : sent !== undefined && !isUnanswered(sent);
  const wasOnItsWay = !isBack && previousTarget === desiredVersion;
  const isLong = before.reads >= 2 && at - before.since >= REGISTERING_MS;
  return (
    isAnswered || wasOnItsWay || liveVersion === previousVersion || (isUnproven(before) && isLong)
  );
}

function stateOf(
  row: Endpoint,
  planned: PlannedEndpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): Shown['state'] | null {
  const { targetVersion: target, liveVersion: live } = row;
  const { desiredVersion, previousVersion, previousTarget } = planned;
  const known = [desiredVersion, previousVersion, previousTarget];
  const isKnown = [target, live].every((one) => known.includes(one));
  if (!isKnown) return null;
  if (isStopped(row)) return isBack ? 'superseded' : 'failed';
  if (target !== desiredVersion) return beforeTarget(row, sent, before, at, isBack);
  if (sent !== undefined && sent.refusal !== null) return null;
  const state =
    sent === undefined ? unsentAtTarget(row, planned, isBack) : atTarget(row, planned, isBack);
  const isSure = state !== 'converged' && live === desiredVersion;
  if (isSure || hasTaken(row, planned, sent, before, at, isBack)) return state;
  return live === desiredVersion ? 'progressing' : null;
}

/** Somebody else has sent it there, and if it hangs there it is rolled. */
function unsentAtTarget(row: Endpoint, planned: PlannedEndpoint, isBack: boolean): Shown['state'] {
  const state = atTarget(row, planned, isBack);
  if (state === 'converged' || !isBad(row)) return state;
  return mayHeal(planned) ? 'pending' : 'progressing';
}

/** It had a failed status, or was not seen well, before it was rolled: it may hang there. */
export function mayHeal({ failedBefore, isBroken, isUnsettled }: PlannedEndpoint): boolean {
  return failedBefore || isBroken === true || isUnsettled === true;
}

export function atTarget(row: Endpoint, planned: PlannedEndpoint, isBack: boolean): Shown['state'] {
  const isLive = row.liveVersion === planned.desiredVersion;
  if (isLive && isWell(row, planned, isBack)) return 'converged';
  return isBad(row) && !mayHeal(planned) ? 'failed' : 'progressing';
}

function wasRevertedForLong({ state, reads, since }: Shown, at: number): boolean {
  return state === 'reverted' && reads >= 2 && at - since >= REGISTERING_MS;
}

/**
 * No list has shown its roll yet, which may have been lost. A minute after the second one it does not start. If it was
 * shown, three reads and a minute later it was taken back.
 */
function beforeTarget(
  row: Endpoint,
  sent: Sent | undefined,
  before: Shown,
  at: number,
  isBack: boolean,
): Shown['state'] | null {
  if (sent === undefined) return before.hadTarget ? null : 'pending';
  if (sent.refusal !== null) return 'failed';
  if (isBad(row)) return null;
  if (before.hadTarget) {
    if (!wasRevertedForLong(before, at)) return 'reverted';
    return isBack ? 'superseded' : 'taken-back';
  }
  // It looked live meanwhile, and nobody says when the minute after its last roll begins then.
  if (sent.times >= 2 && isUnproven(before)) return null;
  return sent.times >= 2 && isOverdue(sent, at) ? 'failed' : 'requested';
}

/** What had failed or was dark before may be so again when it is back. */
function isWell(
  row: Endpoint,
  { failedBefore, wasDark }: PlannedEndpoint,
  isBack: boolean,
): boolean {
  const mayBeBad = isBack && failedBefore;
  const mayBeDark = isBack && wasDark === true;
  return (!isBad(row) || mayBeBad) && (row.replicas !== 0 || mayBeDark);
}
