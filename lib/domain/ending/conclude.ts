import type { KeepReason } from '../containment/decide-stop.ts';
import type { JournalEntry, WriteResult } from '../endpoint/journal.ts';
import { listNames } from '../endpoint/named.ts';
import { hasConverged } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { findStopsSent, stopHistories } from '../endpoint/stops.ts';
import type { Cleanup, Ending, Outcome } from '../rollout/outcome.ts';
import type { Rollback } from '../rollout/plan.ts';
import { progressOn, type RolloutRecord, type Signal } from '../rollout/record.ts';
import { isAskedForAgain } from '../signals/signals.ts';
import { WITHIN_THRESHOLD } from './success.ts';

/**
 * The outcome of a rollout: why it ended, and what was really done with the endpoints that it rolled.
 *
 * @param oldEndpoints How many old endpoints there were to stop. One without a line in the journal was not looked at.
 * @param withStops The runtimes of a group that went back whose own policies have stopped endpoints.
 */
export function conclude(
  ending: Ending,
  record: Pick<RolloutRecord, 'journal' | 'rollback' | 'progress' | 'signals'>,
  oldEndpoints: number,
  withStops: readonly string[] = [],
): Outcome {
  const report = reportCleanup(ending, record, oldEndpoints);
  const { cleanup, words } = withStops.length === 0 ? report : addStops(report, withStops);
  return { ...ending, cleanup, message: `${asSentence(ending.message)}${words}` };
}

/** What was done with the endpoints that were rolled, and the sentence that says so. */
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

function reportCleanup(
  { reason }: Ending,
  record: Pick<RolloutRecord, 'journal' | 'rollback' | 'progress' | 'signals'>,
  oldEndpoints: number,
): CleanupReport {
  const { journal, rollback, progress, signals } = record;
  if (rollback !== null) return reportWayBack(rollback, progress, journal);
  if (reason === WITHIN_THRESHOLD) return { cleanup: 'kept', words: '' };
  const report = reportStops(journal, oldEndpoints, signals);
  const words = report.words === '' && reason === 'Aborted' ? describeLeft(journal) : report.words;
  return { ...report, words };
}

/** Says how many endpoints an aborted rollout has rolled and left as they are. */
function describeLeft(journal: readonly JournalEntry[]): string {
  const rolled = [...rollHistories(journal, 'forward').values()].filter(wasSent).length;
  if (rolled === 0) return '';
  return rolled === 1
    ? ' 1 endpoint was rolled, and stays as it is.'
    : ` ${rolled} endpoints were rolled, and stay as they are.`;
}

/** The report also names the stops that were made before an abort turned the rollout around. */
function reportWayBack(
  rollback: Rollback,
  progress: RolloutRecord['progress'],
  journal: readonly JournalEntry[],
): CleanupReport {
  const back = reportRollback(rollback, progress);
  const sent = findStopsSent(journal);
  const stops = reportStops(
    journal.filter(({ endpointId }) => sent.has(endpointId)),
    sent.size,
  );
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
  const missing = plan.endpoints.filter((_, index) => {
    const observation = observations[index];
    return observation?.state !== 'superseded' && !(observation && hasConverged(observation));
  });
  const stopped = plan.leftOut.filter(({ reason }) => reason === 'stopped');
  const nowhere = plan.leftOut.filter(({ reason }) => reason === 'previous-unknown');
  const isBack = plan.leftOut.filter(({ reason }) => reason === 'at-version').length;
  const taken = moved.length + plan.leftOut.length - nowhere.length - stopped.length - isBack;
  const notBack = [...missing, ...nowhere].map(({ name, endpointId }) => name ?? endpointId);
  const total = plan.endpoints.length + plan.leftOut.length - stopped.length;
  if (total === 0) return { cleanup: 'none', words: '' };
  const back = total - taken - notBack.length;
  const parts = [
    `${back} of ${total} on their previous versions`,
    ...(taken > 0 ? [`${taken} left alone (elsewhere, stopped or gone)`] : []),
    ...(notBack.length > 0 ? [`not back: ${listNames(notBack)}`] : []),
  ];
  return {
    cleanup: cleanupOfRollback(notBack.length, taken),
    words: ` Rolled back: ${parts.join(', ')}.`,
  };
}

function cleanupOfRollback(notBack: number, taken: number): Cleanup {
  if (notBack > 0) return 'incomplete';
  return taken > 0 ? 'kept' : 'rolledBack';
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

type LastStop = Pick<JournalEntry, 'result' | 'reason'>;

function reportStops(
  journal: readonly JournalEntry[],
  oldEndpoints: number,
  signals: readonly Signal[] = [],
): CleanupReport {
  const results = [...stopHistories(journal).values()]
    // The last abort asks for it, and nobody could note what came of that.
    .filter(({ last }) => last.result !== 'kept' || !isAskedForAgain(last, signals))
    // Of two tries the first one may have been carried out, although the second one was refused.
    .map(
      ({ last, possible }): LastStop =>
        possible > 0 && last.result === 'rejected' ? { result: 'unknown' } : last,
    );
  return {
    cleanup: cleanupOfStops(results, oldEndpoints),
    words: describeStops(results, oldEndpoints),
  };
}

/** Reasons of stops that became unnecessary, because the endpoint went live or somebody else stopped it. */
const NEEDLESS: ReadonlySet<string | undefined> = new Set(['went-live', 'stopped-already']);

function cleanupOfStops(stops: readonly LastStop[], oldEndpoints: number): Cleanup {
  const isDone = (result: WriteResult) => result === 'accepted' || result === 'kept';
  if (stops.length < oldEndpoints || !stops.every(({ result }) => isDone(result))) {
    return 'incomplete';
  }
  if (stops.some(({ result, reason }) => result === 'kept' && !NEEDLESS.has(reason))) {
    return 'kept';
  }
  return stops.some(({ result }) => result === 'accepted') ? 'stopped' : 'none';
}

function describeStops(stops: readonly LastStop[], oldEndpoints: number): string {
  if (stops.length === 0 && oldEndpoints === 0) return '';
  const unseen = Math.max(0, oldEndpoints - stops.length);
  const stopped = stops.filter(({ result }) => result === 'accepted').length;
  const kept = stops.filter(({ result }) => result === 'kept');
  const unsure = stops.filter(({ result }) => result === 'unknown' || result === 'intended').length;
  const refused = stops.length - stopped - kept.length - unsure;
  const reasons = [...new Set(kept.map(({ reason }) => reason))].join(', ');
  const parts = [
    `${stopped} stopped`,
    ...(kept.length > 0 ? [`${kept.length} kept (${reasons})`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unsure > 0 ? [`${unsure} in doubt`] : []),
    ...(unseen > 0 ? [`${unseen} not looked at`] : []),
  ];
  const advice = [...ADVICE].flatMap(([reason, words]) =>
    kept.some((each) => each.reason === reason) ? [` ${reason}: ${words}`] : [],
  );
  return ` Old endpoints: ${parts.join(', ')}.${advice.join('')}`;
}

/** Where nobody knows why, what is likely, and what to look at. */
const ADVICE: ReadonlyMap<KeepReason, string> = new Map([
  [
    'never-seen-moving',
    'no list has shown the roll, so the list may be an old answer, or the service may have dropped the roll. List the endpoints again in some minutes, and ask them which version they serve.',
  ],
  [
    'moved',
    'a list has shown them away from the target of the rollout, or live on another version. Somebody else may have moved them, or the service.',
  ],
]);
