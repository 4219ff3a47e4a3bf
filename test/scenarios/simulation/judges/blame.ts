import { type Endpoint, isFailed, isStopped } from '../../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { Outcome } from '../../../../lib/domain/rollout/outcome.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { type Ordeal, wasLeft } from '../ordeal.ts';
import { longestOpeningSeconds } from './opening.ts';
import { hasToWait } from './patience.ts';

/** It ended because somebody else, or the service, has moved something, or wants to. */
function isOfOthers({ outcome, reason }: Outcome): boolean {
  // Another judge looks who was pinned.
  return (outcome === 'Superseded' && reason !== 'AllPinned') || reason === 'TakenBack';
}

/** Nobody is blamed who was not there. */
export function hasCause(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { outcome } = run;
  const { people, lists, broken, policy, word, stall } = ordeal;
  const hasDone = (kind: string) =>
    (kind === 'abort' && word !== null) || people.some((act) => act.kind === kind);
  // A plan drawn up blindly knows no earlier version.
  const isBlind = run.record?.plan?.endpoints.some((one) => one.previousVersion === null) === true;
  const isRaced = stall?.isRaced === true;
  const isOutrun = mayBeOutrun(ordeal);
  const isOther = ordeal.earlier !== null || ordeal.ahead !== null;
  const isOvertaken = isOutrun && [...OVERTAKERS].some(hasDone);
  const gaveWay = (policy.onConflict === 'latest' && hasDone('rival')) || isOvertaken;
  const isTakenBack = broken.some(({ kind }) => kind === 'take-back');
  const isMoved =
    hasDone('move') || isTakenBack || isOldTwice(ordeal) || isBlind || gaveWay || isRaced;
  // A release that is refused has taken the runtime from one that could not say that it is there.
  // So it has from one whose clock was behind: to others, the lease that it granted itself has run out.
  const isBehind = (ordeal.clock?.offsetMs ?? 0) < 0;
  const isBuried = (isOutrun || isBehind) && ['absurd', 'stale', 'twin', 'lower'].some(hasDone);
  const maybeTaken = wasLeft(ordeal) || isRaced || isBuried || hasDone('rival');
  const isUnfounded =
    (outcome.reason === ErrorName.LeaseLost && !maybeTaken) ||
    (isOfOthers(outcome) && !isMoved && !isOther) ||
    (outcome.outcome === 'Aborted' && !hasDone('abort')) ||
    (outcome.reason === 'LiveRegressed' &&
      !isRaced &&
      people.length + broken.length + lists.length === 0);
  return isUnfounded ? [`${outcome.outcome}, ${outcome.reason}, and nobody did it`] : [];
}

/**
 * A second old answer in a row counts as true. What an older release has moved is shown as it was before that by the two
 * reads after a write that was forgotten. After several of these, what was rolled before is shown so for a minute.
 */
function isOldTwice({ lists, writes, people }: Ordeal): boolean {
  const wasMoved = people.some(({ kind }) => kind === 'stale');
  const flashes = lists.filter(({ kind }) => kind === 'flash').length;
  const forgotten = writes.filter(({ kind }) => kind === 'forgotten').length;
  return flashes >= 2 || forgotten >= 3 || (wasMoved && forgotten > 0);
}

/** A newer release begins before one that is asked for in the same moment, and then that one is overtaken. */
const OVERTAKERS: ReadonlySet<string> = new Set(['rival', 'twin', 'lower']);

/** Whoever waits, or has to read before it may begin, or could not say in time that it is there, is overtaken. */
function mayBeOutrun(ordeal: Ordeal): boolean {
  const isHeld = ordeal.held?.holds.some(({ kind }) => kind === 'freeze') === true;
  const isAtOnce = ordeal.people.some(
    ({ kind, atSecond }) =>
      OVERTAKERS.has(kind) && Number(atSecond) <= longestOpeningSeconds(ordeal),
  );
  const isLate = ordeal.death !== null || ordeal.stall !== null;
  return hasToWait(ordeal) || isHeld || isAtOnce || isLate;
}

/** What is left out of a way back because somebody else moved it was moved by somebody else. */
export function movedIsMoved(ordeal: Ordeal, { record }: ScenarioResult): string[] {
  const { people, lists, stall, badReleases } = ordeal;
  const mayBeOld = lists.length > 0 || isOldTwice(ordeal);
  const isMoved = people.length + badReleases > 0 || mayBeOld || stall?.isRaced === true;
  const left = record?.rollback?.plan.leftOut.filter(({ reason }) => reason === 'moved') ?? [];
  return isMoved ? [] : left.map(({ name }) => `${name} counts as moved, and nobody moved it`);
}

/** Where endpoints have failed, a list has shown one that has. */
export function failedIsShown({ record, calls, outcome }: ScenarioResult): string[] {
  const policy = record?.request.policy;
  if (outcome.reason !== 'EndpointFailed' || !policy) return [];
  const isFailure = (one: Endpoint) =>
    isFailed(one, policy.statuses) || isStopped(one, policy.statuses);
  const isShown = calls.filter(isList).some(({ endpoints }) => endpoints?.some(isFailure));
  return isShown ? [] : ['it ended because endpoints had failed, and no list has shown one'];
}

/** A list that lacks most of the fleet proves nothing, however often it is read. */
export function nothingVanishesByALie(
  { lists, broken, people }: Ordeal,
  { outcome }: ScenarioResult,
): string[] {
  const mayBeGone =
    lists.some(({ kind }) => BELIEVED.has(kind)) || broken.length + people.length > 0;
  return outcome.reason === 'EndpointVanished' && !mayBeGone
    ? ['it ended because endpoints were gone, and none was']
    : [];
}

/** Half a minute, less what calls take: the rollout counts from the answer of one list to that of another. */
const GONE_MS = 25_000;

/** What is told to be gone was missing in three lists, and for half a minute. */
export function goneTakesTime(_: Ordeal, { outcome, record, calls }: ScenarioResult): string[] {
  if (outcome.reason !== 'EndpointVanished' || record?.plan == null) return [];
  const reads = calls.flatMap((call) => (isList(call) && call.endpoints !== null ? [call] : []));
  const isLongGone = record.plan.endpoints.some(({ endpointId }) => {
    const lacking = reads
      .filter(({ endpoints }) => endpoints?.every(({ id }) => id !== endpointId))
      .map(({ at }) => at);
    return lacking.length >= 3 && Number(lacking.at(-1)) - Number(lacking[0]) >= GONE_MS;
  });
  return isLongGone
    ? []
    : ['it ended because an endpoint was gone, and none was for half a minute'];
}

/** Lists that lack up to a half: the rollout may believe them. */
const BELIEVED: ReadonlySet<string> = new Set(['short', 'some', 'hidden']);

/** One step that crashed, or one call of the ledger that failed, is no reason to end. */
export function crashIsSurvived({ death }: Ordeal, { outcome }: ScenarioResult): string[] {
  return outcome.reason === death?.error ? [`one ${death.error} ended it: ${outcome.message}`] : [];
}
