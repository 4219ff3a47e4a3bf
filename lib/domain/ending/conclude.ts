import { commandOf } from '../command.ts';
import { type KeepReason, keptBecause } from '../containment/decide-stop.ts';
import { CONTAINMENTS } from '../containment/failure-policies.ts';
import { countOldEndpoints, findOldEndpoints } from '../containment/old-endpoints.ts';
import { findStopsSent, stopHistories } from '../endpoint/attempts.ts';
import { ID_PREFIX, listNames, type PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { JournalEntry, WriteResult } from '../endpoint/journal.ts';
import { hasConverged, isUntold } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { describeSessionsBack } from '../endpoint/sessions.ts';
import { adviceToCreate } from '../planning/create-one.ts';
import { rolledBy } from '../planning/undo.ts';
import { failingOf } from '../rollout/event.ts';
import { nounOf } from '../rollout/group.ts';
import type { Cleanup, Ending, Outcome } from '../rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../rollout/outcome.ts';
import type { Rollback } from '../rollout/plan.ts';
import {
  type AskedRollout,
  progressOn,
  type RolloutRecord,
  type Signal,
  wasOpened,
} from '../rollout/record.ts';
import { asSentence, nameOf } from '../sentences.ts';
import { findAskedFor, findRejection } from '../signals/approval.ts';
import { failurePolicyOf, isAskedForAgain } from '../signals/signals.ts';
import { WITHIN_THRESHOLD } from './success.ts';
import { describeWhereNow } from './where-now.ts';

type Concluded = Pick<
  AskedRollout,
  'request' | 'plan' | 'journal' | 'rollback' | 'progress' | 'signals' | 'events'
>;

/**
 * The outcome of a rollout: why it ended, what was really done with the endpoints that it rolled, and where they are now.
 *
 * @param withStops The runtimes of a group that went back whose own policies have stopped endpoints.
 */
export function conclude(
  ending: Ending,
  record: Concluded,
  undone: LeftUndone,
  withStops: readonly string[] = [],
): Outcome {
  const report = reportCleanup(ending, record, undone);
  const { cleanup, words } = withStops.length === 0 ? report : addStops(report, withStops);
  const message = `${asSentence(ending.message)}${words}${whereNow(ending, record)}${byHand(record)}${afterStops(record)}`;
  const watched = record.progress?.watched?.map(({ gate, no }) => {
    return { gate, wouldHaveFailed: no !== undefined };
  });
  const failure =
    ending.failure ?? (ending.outcome === 'Succeeded' ? undefined : failedBefore(record));
  return {
    ...ending,
    ...(failure && { failure }),
    cleanup,
    message,
    ...rollTimeOf(ending, record),
    ...(watched && { watched }),
  };
}

function rollTimeOf({ outcome }: Ending, { progress }: Concluded): Pick<Outcome, 'rollMs'> {
  const rollMs = progress?.learntRollMs;
  return outcome === 'Succeeded' && rollMs !== undefined ? { rollMs } : {};
}

/**
 * Nothing that ends the rollout while the failure policy is carried out makes a version good: no error, no newer rollout,
 * and no abort, which only says what becomes of the endpoints. Nobody has said no to one that was not approved in time.
 */
function failedBefore(record: Concluded): Ending['failure'] {
  const failing = failingOf(record.events);
  if (failing !== undefined)
    return failing.reason === APPROVAL_TIMED_OUT ? undefined : failing.failure;
  return wasRejected(record) ? 'bad' : undefined;
}

/** A person has said no, and whatever ended the rollout kept it from hearing that. */
function wasRejected({ request, events, signals, progress }: Concluded): boolean {
  return (
    progress !== null &&
    findAskedFor({ request, events }, progress) !== undefined &&
    findRejection(signals, progress.wave) !== undefined
  );
}

/** After an error, or when a process has died, it may be long ago that somebody looked. */
function whereNow({ outcome, reason }: Ending, record: Concluded): string {
  if (outcome === 'Succeeded') return '';
  const isCutOff = outcome === 'Aborted' && reason !== 'Aborted';
  return describeWhereNow(record, outcome === 'Errored' || isCutOff);
}

/** The outcome of a process that has rolled nothing, or that may not clean up any more. */
export function withoutCleanup(ending: Ending): Outcome {
  return { ...ending, cleanup: 'none', message: asSentence(ending.message) };
}

/** The command for what had no version before: only a person knows where it should go. */
function byHand({ rollback, request: { runtimeId } }: Concluded): string {
  const kept = rollback?.plan.leftOut.filter(({ reason }) => reason === 'previous-unknown') ?? [];
  if (kept.length === 0 || nounOf(runtimeId) !== 'endpoint') return '';
  const commands = kept.slice(0, MOST_COMMANDS).map(({ endpointId, name, sharesName }) => {
    const which = sharesName ? `${ID_PREFIX}${endpointId}` : (name ?? endpointId);
    const words = ['agent', 'runtime', 'endpoint', 'update', runtimeId, which, '--version', 'N'];
    return `"${commandOf(words)}"`;
  });
  return ` To roll ${kept.length === 1 ? 'it' : 'them'} by hand: ${commands.join(', ')}.`;
}

const MOST_COMMANDS = 3;

/** Neither a retry nor a revert brings back what was stopped. */
function afterStops({ journal, request: { runtimeId } }: Concluded): string {
  const isStopped = [...stopHistories(journal).values()].some(
    ({ last }) => last.result === 'accepted',
  );
  return isStopped ? adviceToCreate('a new one', runtimeId) : '';
}

interface CleanupReport {
  readonly cleanup: Cleanup;
  /** The sentence. It begins with a space, or it is empty. */
  readonly words: string;
}

/** Of a stop there is no way back, so a runtime with one is not where it was, although its way back succeeded. */
function addStops({ cleanup, words }: CleanupReport, runtimes: readonly string[]): CleanupReport {
  return {
    cleanup: cleanup === 'rolledBack' ? 'kept' : cleanup,
    words: `${words} Endpoints that their own policy had stopped stay stopped: ${listNames(runtimes)}.`,
  };
}

function reportCleanup({ reason }: Ending, record: Concluded, undone: LeftUndone): CleanupReport {
  const { journal, rollback, signals } = record;
  if (rollback !== null) return reportWayBack(rollback, record);
  if (reason === WITHIN_THRESHOLD) return { cleanup: 'kept', words: '' };
  const report = reportStops(record, undone.stops, signals);
  if (undone.back.length > 0) {
    const names = listNames(undone.back.map(nameOf));
    const words = `${report.words} Not rolled back, because nobody has looked any more: ${names}.`;
    return { cleanup: 'incomplete', words };
  }
  const words = report.words === '' && reason === 'Aborted' ? describeLeft(journal) : report.words;
  return { ...report, words };
}

function describeLeft(journal: readonly JournalEntry[]): string {
  const rolled = [...rollHistories(journal, 'forward').values()].filter(wasSent).length;
  if (rolled === 0) return '';
  return rolled === 1
    ? ' 1 endpoint was rolled, and stays as it is.'
    : ` ${rolled} endpoints were rolled, and stay as they are.`;
}

/** The report also names the stops that were made before an abort turned the rollout around. */
function reportWayBack(rollback: Rollback, { plan, journal, progress }: Concluded): CleanupReport {
  const report = reportRollback(rollback, progress);
  const isAnyBack = rollback.plan.endpoints.length > 0;
  const back = {
    ...report,
    words: report.words + (isAnyBack ? describeSessionsBack(plan?.sessions) : ''),
  };
  const sent = findStopsSent(journal);
  const ofStops = journal.filter(({ endpointId }) => sent.has(endpointId));
  const stops = reportStops({ plan, journal: ofStops }, sent.size);
  if (sent.size === 0) return back;
  if (back.cleanup === 'none') return stops;
  const isIncomplete = back.cleanup === 'incomplete' || stops.cleanup === 'incomplete';
  return { cleanup: isIncomplete ? 'incomplete' : 'kept', words: `${back.words}${stops.words}` };
}

/**
 * How far the rollback has got. An endpoint that is not back stays as it is, and none is ever stopped for it.
 * Endpoints that had been stopped before the rollback are not part of it.
 */
export function reportRollback(
  { plan }: Rollback,
  progress: RolloutRecord['progress'],
): CleanupReport {
  const observations = progressOn({ progress }, plan)?.observations ?? [];
  const moved = plan.endpoints.filter((_, index) => observations[index]?.state === 'superseded');
  const missing = plan.endpoints.flatMap((planned, index) => {
    const seen = observations[index];
    const isMissing = seen?.state !== 'superseded' && !(seen && hasConverged(seen));
    return isMissing
      ? [{ name: nameOf(planned), isUntold: seen !== undefined && isUntold(seen) }]
      : [];
  });
  const notBack = missing.filter((one) => !one.isUntold).map(({ name }) => name);
  const untold = missing.filter((one) => one.isUntold).map(({ name }) => name);
  const stopped = plan.leftOut.filter(({ reason }) => reason === 'stopped');
  const nowhere = plan.leftOut.filter(({ reason }) => reason === 'previous-unknown');
  const isBack = plan.leftOut.filter(({ reason }) => reason === 'at-version').length;
  const taken = moved.length + plan.leftOut.length - nowhere.length - stopped.length - isBack;
  const total = plan.endpoints.length + plan.leftOut.length - stopped.length;
  if (total === 0) return { cleanup: 'none', words: '' };
  const back = total - taken - missing.length - nowhere.length;
  const parts = [
    `${back} of ${total} on their previous versions`,
    ...(taken > 0 ? [`${taken} left alone (elsewhere, stopped or gone)`] : []),
    ...(notBack.length > 0 ? [`not back: ${listNames(notBack)}`] : []),
    ...(untold.length > 0
      ? [
          `nobody knows whether ${untold.length === 1 ? 'it is' : 'they are'} back: ${listNames(untold)}`,
        ]
      : []),
  ];
  const kept =
    nowhere.length > 0 ? ` Kept (no version before): ${listNames(nowhere.map(nameOf))}.` : '';
  return {
    cleanup: cleanupOfRollback(missing.length, taken + nowhere.length),
    words: ` Rolled back: ${parts.join(', ')}.${kept}`,
  };
}

function cleanupOfRollback(notBack: number, kept: number): Cleanup {
  if (notBack > 0) return 'incomplete';
  return kept > 0 ? 'kept' : 'rolledBack';
}

type LastStop = Pick<JournalEntry, 'endpointId' | 'result' | 'reason'>;

function reportStops(
  { plan, journal }: Pick<Concluded, 'plan' | 'journal'>,
  oldEndpoints: number,
  signals: readonly Signal[] = [],
): CleanupReport {
  const results = [...stopHistories(journal).values()]
    // The last abort asks for it, and nobody could note what came of that.
    .filter(({ last }) => last.result !== 'kept' || !isAskedForAgain(last, signals))
    // Of two tries the first one may have been carried out, although the second one was refused.
    .map(
      ({ last, possible }): LastStop =>
        possible > 0 && last.result === 'rejected' ? { ...last, result: 'unknown' } : last,
    );
  return {
    cleanup: cleanupOfStops(results, oldEndpoints),
    words: describeStops(results, oldEndpoints, plan),
  };
}

/** Reasons of stops that became unnecessary, because the endpoint went live or somebody else stopped it. */
const NEEDLESS: ReadonlySet<string | undefined> = new Set(['went-live', 'stopped-already']);

function cleanupOfStops(stops: readonly LastStop[], oldEndpoints: number): Cleanup {
  const isDone = (result: WriteResult) => result === 'accepted' || result === 'kept';
  if (stops.length < oldEndpoints || !stops.every(({ result }) => isDone(result))) {
    return 'incomplete';
  }
  if (stops.some(({ result, reason }) => result === 'kept' && !NEEDLESS.has(reason))) return 'kept';
  return stops.some(({ result }) => result === 'accepted') ? 'stopped' : 'none';
}

function describeStops(
  stops: readonly LastStop[],
  oldEndpoints: number,
  plan: Concluded['plan'],
): string {
  const known = new Map(plan?.endpoints.map((one) => [one.endpointId, nameOf(one)]));
  const groups = Map.groupBy(stops, wordsOf);
  const sentences = [...groups].map(([words, own]) => {
    const names = own.map(({ endpointId }) => known.get(endpointId) ?? endpointId);
    const advice = ADVICE.get(own[0]?.reason) ?? '';
    return ` ${words}: ${listNames(names)}.${advice}`;
  });
  const unseen = Math.max(0, oldEndpoints - stops.length);
  return `${sentences.join('')}${unseen > 0 ? ` Not stopped, because nobody has looked any more: ${unseen}.` : ''}`;
}

function wordsOf({ result, reason }: LastStop): string {
  switch (result) {
    case 'accepted':
      return 'Stopped';
    case 'kept':
      return `Not stopped (${keptBecause(reason)})`;
    case 'unknown':
    case 'intended':
      return 'Asked to stop, and nobody knows whether it did';
    default:
      return 'Not stopped (the stop was refused)';
  }
}

/** Where nobody knows why, what is likely, and what to look at. */
const ADVICE: ReadonlyMap<string | undefined, string> = new Map<KeepReason, string>([
  [
    'never-seen-moving',
    ' The list may be an old answer, or the service may have dropped the roll: list the endpoints again in some minutes, and ask them which version they serve.',
  ],
  ['moved', ' Somebody else may have done that, or the service.'],
]);

/** What the failure policy had to do with endpoints that were rolled, and what nobody has done up to the end. */
export interface LeftUndone {
  /** How many old endpoints there were to stop. One without a line in the journal was not looked at. */
  readonly stops: number;
  /** What was to go back, when there is not even a plan for its way. */
  readonly back: readonly PlannedEndpoint[];
}

const NOTHING_UNDONE: LeftUndone = { stops: 0, back: [] };

/**
 * What is left undone of a rollout that was cut off. Nobody has counted that, so everything counts that was rolled and was
 * not seen to converge. When an error ended a rollout whose policy is to roll back, what has converged counts as well: it
 * would have gone back, too, and nobody looks after it any more.
 *
 * @param isBroken A step failed, or the process died: nobody has decided that this rollout ends like this.
 */
export function leftUndone(ending: Ending, record: AskedRollout, isBroken: boolean): LeftUndone {
  if (!wasOpened(record)) return NOTHING_UNDONE;
  const { plan, progress, rollback } = record;
  switch (CONTAINMENTS[failurePolicyOf(record)].write) {
    case null:
      return NOTHING_UNDONE;
    case 'stop':
      return { stops: countOldEndpoints(record), back: [] };
    case 'roll-back': {
      if (plan === null || progress === null || rollback !== null) return NOTHING_UNDONE;
      const rolled =
        isBroken && ending.outcome !== 'Aborted'
          ? rolledBy(record).map(({ index }) => index)
          : findOldEndpoints(record, plan, progress);
      const isRefused = (index: number) => progress.observations[index]?.refused !== undefined;
      const back = rolled.flatMap((index) =>
        isRefused(index) ? [] : (plan.endpoints[index] ?? []),
      );
      return { stops: 0, back };
    }
  }
}
