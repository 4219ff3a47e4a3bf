import { ErrorName } from '../../../lib/domain/errors.ts';
import { type Call, isList, isWrite } from '../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { cleanupIsTrue } from './judge-cleanup.ts';
import {
  endsAsTold,
  failsAsTold,
  haltsWhenTold,
  stopsShowTheirReason,
} from './judge-containment.ts';
import { deadlineIsKept } from './judge-deadline.ts';
import { countsAreTrue, eventsComeInTime } from './judge-events.ts';
import { approvalIsAwaited, gatesAreHeard } from './judge-gates.ts';
import { answersAreInJournal, cleanupIsExact, keptForItsReason } from './judge-kept.ts';
import {
  beginsWhenItMay,
  givesWay,
  isAskedToGiveWay,
  liveIsNoticed,
  unreadableEnds,
} from './judge-pace.ts';
import { harmlessIsSurvived } from './judge-patience.ts';
import { reasonIsSeen } from './judge-reason.ts';
import { shapesAreKept } from './judge-record.ts';
import { abortIsHeard, endsInTime, pollsAsTold, retryAfterIsKept } from './judge-time.ts';
import { type Ordeal, wasLeft } from './ordeal.ts';

/** What must be true of the end of a rollout, given all that went wrong in it. Each answers its violations. */
export function judgeEnding(ordeal: Ordeal, run: ScenarioResult): string[] {
  return [
    ...endsInTime(ordeal, run),
    ...pollsAsTold(ordeal, run),
    ...deadlineIsKept(ordeal, run),
    ...harmlessIsSurvived(ordeal, run),
    ...hasCause(ordeal, run),
    ...nothingVanishesByALie(ordeal, run),
    ...crashIsSurvived(ordeal, run),
    ...cleanupIsTrue(ordeal, run),
    ...holdsWhenTold(ordeal, run),
    ...keepsEnoughServing(ordeal, run),
    ...abortIsHeard(ordeal, run),
    ...haltsWhenTold(ordeal, run),
    ...endsAsTold(ordeal, run),
    ...failsAsTold(ordeal, run),
    ...stopsShowTheirReason(ordeal, run),
    ...retryAfterIsKept(ordeal, run),
    ...writesAreInJournal(run),
    ...unreadableEnds(ordeal, run),
    ...beginsWhenItMay(ordeal, run),
    ...givesWay(ordeal, run),
    ...isAskedToGiveWay(ordeal, run),
    ...liveIsNoticed(ordeal, run),
    ...shapesAreKept(run),
    ...eventsComeInTime(ordeal, run),
    ...countsAreTrue(ordeal, run),
    ...keptForItsReason(ordeal, run),
    ...answersAreInJournal(ordeal, run),
    ...cleanupIsExact(ordeal, run),
    ...reasonIsSeen(ordeal, run),
    ...gatesAreHeard(ordeal, run),
    ...approvalIsAwaited(ordeal, run),
  ];
}

/** Lists that lack up to a half: the rollout may believe them. */
const BELIEVED: ReadonlySet<string> = new Set(['short', 'some', 'hidden']);

/** A list that lacks most of the fleet proves nothing, however often it is read. */
function nothingVanishesByALie(
  { lists, broken, people }: Ordeal,
  { outcome }: ScenarioResult,
): string[] {
  const mayBeGone =
    lists.some(({ kind }) => BELIEVED.has(kind)) || broken.length + people.length > 0;
  return outcome.reason === 'EndpointVanished' && !mayBeGone
    ? ['it ended because endpoints were gone, and none was']
    : [];
}

/** Nobody is blamed who was not there. */
function hasCause(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { outcome } = run;
  const { people, lists, broken, policy, word, opensAfter, stall } = ordeal;
  const hasDone = (kind: string) =>
    (kind === 'abort' && word !== null) || people.some((act) => act.kind === kind);
  // A second old answer in a row counts as true, and a plan drawn up blindly knows no earlier version.
  const flashes = lists.filter(({ kind }) => kind === 'flash').length;
  const isBlind = run.record?.plan?.endpoints.some((one) => one.previousVersion === null) === true;
  const isRaced = stall?.isRaced === true;
  // Whoever waits, or could not say in time that it is there, is overtaken.
  const isOutrun = opensAfter > 0 || ordeal.death !== null || stall !== null;
  const gaveWay = (policy.onConflict === 'latest' || isOutrun) && hasDone('rival');
  const isMoved = hasDone('move') || flashes >= 2 || isBlind || gaveWay || isRaced;
  // A release that is refused has taken the runtime from one that could not say that it is there.
  // So it has from one whose clock was behind: to others, the lease that it granted itself has run out.
  const isBehind = (ordeal.clock?.offsetMs ?? 0) < 0;
  const isBuried = (isOutrun || isBehind) && hasDone('absurd');
  const maybeTaken = wasLeft(ordeal) || isRaced || isBuried || hasDone('rival');
  const isUnfounded =
    (outcome.reason === ErrorName.LeaseLost && !maybeTaken) ||
    (outcome.outcome === 'Superseded' && !isMoved) ||
    (outcome.outcome === 'Aborted' && !hasDone('abort')) ||
    (outcome.reason === 'LiveRegressed' &&
      !isRaced &&
      people.length + broken.length + lists.length === 0);
  return isUnfounded ? [`${outcome.outcome}, ${outcome.reason}, and nobody did it`] : [];
}

/** One step that crashed, or one call of the ledger that failed, is no reason to end. */
function crashIsSurvived({ death }: Ordeal, { outcome }: ScenarioResult): string[] {
  return outcome.reason === death?.error ? [`one ${death.error} ended it: ${outcome.message}`] : [];
}

function holdsWhenTold(
  { policy, people, word }: Ordeal,
  { stopped, rolledBack }: ScenarioResult,
): string[] {
  const isAborted = word !== null || people.some(({ kind }) => kind === 'abort');
  const isTold = policy.onFailure !== 'hold' || isAborted;
  return isTold || stopped.length + rolledBack.length === 0 ? [] : ['it was told to hold'];
}

/**
 * No stop of ours leaves fewer than `minServing`, as far as the read before it tells for certain: the status says so, or
 * it is the one that all endpoints showed that were neither failed nor stopped when the plan was made, two or more.
 */
export function keepsEnoughServing(
  { policy }: Pick<Ordeal, 'policy'>,
  { calls }: Pick<ScenarioResult, 'calls'>,
): string[] {
  const { minServing } = policy;
  const resting = restingStatus(calls);
  const gone = new Set<string>();
  return calls.flatMap((call, index) => {
    const before = calls[index - 1];
    if (call.operation !== 'stop' || before?.operation !== 'list') return [];
    gone.add(call.endpointId);
    const serving = (before.endpoints ?? []).filter(
      ({ id, liveVersion, targetVersion, status, replicas }) =>
        !gone.has(id) &&
        Number(liveVersion) >= 1 &&
        targetVersion === liveVersion &&
        (status === 'ACTIVE' || status === resting) &&
        replicas !== 0,
    );
    const listed = before.endpoints?.length ?? 0;
    const least =
      typeof minServing === 'object' && 'percent' in minServing
        ? (minServing.percent * listed) / 100
        : Number(minServing);
    return serving.length < least ? [`${serving.length} of ${listed} serving after a stop`] : [];
  });
}

const KNOWN_TO_BE_BAD: ReadonlySet<string | null> = new Set(['ERROR', 'STOPPED', 'CHECK_FAILED']);

function restingStatus(calls: readonly Call[]): string | null | undefined {
  const firstWrite = calls.findIndex(isWrite);
  const planned = calls
    .slice(0, Math.max(0, firstWrite))
    .filter(isList)
    .findLast(({ endpoints }) => endpoints !== null);
  const words = (planned?.endpoints ?? [])
    .map(({ status }) => status)
    .filter((status) => !KNOWN_TO_BE_BAD.has(status));
  return words.length > 1 && new Set(words).size === 1 ? words[0] : undefined;
}

/** What is sent was written down before. */
function writesAreInJournal({ record, calls }: ScenarioResult): string[] {
  const isStop = ({ operation }: { readonly operation: string }) => operation === 'stop';
  return calls.filter(isWrite).flatMap((call) => {
    const isKnown = record?.journal.some(
      ({ endpointId, result, ...entry }) =>
        endpointId === call.endpointId && result === 'intended' && isStop(entry) === isStop(call),
    );
    return isKnown ? [] : [`${call.operation} of ${call.endpointId} is not in the journal`];
  });
}
