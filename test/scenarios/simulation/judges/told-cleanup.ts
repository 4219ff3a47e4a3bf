import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../../lib/domain/endpoint/observation.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { Cleanup } from '../../../../lib/domain/rollout/outcome.ts';
import type { Rollback } from '../../../../lib/domain/rollout/plan.ts';
import type { FailurePolicy } from '../../../../lib/domain/rollout/policy.ts';
import { type RolloutRecord, wasOpened } from '../../../../lib/domain/rollout/record.ts';
import { findAbort } from '../../../../lib/domain/signals/abort.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { type Ordeal, wasLeft } from '../ordeal.ts';
import { usualPolicy } from './usual-policy.ts';

// The cleanup that an outcome tells follows from the journal and from what the last look has shown.

/** Without a way back, the stops that are in the journal say what was done. */
export function stopsAreTold({ record }: Pick<ScenarioResult, 'record'>): string[] {
  if (record?.outcome == null || record.rollback !== null) return [];
  const { cleanup, reason, outcome } = record.outcome;
  const due = reason === 'ConvergedWithinThreshold' ? 'kept' : cleanupByStops(stopsIn(record));
  const hasFailed = record.events.some(({ kind }) => kind === 'failing');
  // Whoever has nothing to do with its endpoints misses nothing, nor does a success.
  const { policy } = record.request;
  const isToHold = policy !== null && usualPolicy(policy.onFailure, record) === 'hold';
  const isLeft = isToHold && record.signals.length === 0;
  const mayMiss = !isLeft && (hasFailed || outcome === 'Errored' || outcome === 'Aborted');
  return cleanup === due || (cleanup === 'incomplete' && mayMiss)
    ? []
    : [`its stops make its cleanup ${due}, and it is ${cleanup}`];
}

/** The journal's lines for the stops of each endpoint. */
export function stopsIn({ journal }: { readonly journal: readonly JournalEntry[] }) {
  const stops = journal.filter(({ operation }) => operation === 'stop');
  return [...Map.groupBy(stops, ({ endpointId }) => endpointId).values()];
}

function cleanupByStops(stops: readonly (readonly JournalEntry[])[]): Cleanup {
  const lasts = stops.map((lines) => lines.at(-1));
  const isKept = lasts.some((last) => last?.result === 'kept' && !NEEDLESS.has(last.reason ?? ''));
  if (lasts.some((last) => !DONE.has(last?.result ?? ''))) return 'incomplete';
  if (isKept) return 'kept';
  return lasts.some((last) => last?.result === 'accepted') ? 'stopped' : 'none';
}

const DONE: ReadonlySet<string> = new Set(['accepted', 'kept']);

/** No stop was needed any more. */
const NEEDLESS: ReadonlySet<string> = new Set(['went-live', 'stopped-already']);

/**
 * What the last abort asks for, or what was told when it failed, says what had to be done with its endpoints. Who has
 * to leave them misses nothing, and who has to do something tells when it has not even looked at one of them.
 */
export function missedIsTold(
  { stall }: Pick<Ordeal, 'stall'>,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  if (record?.outcome == null || !wasOpened(record) || record.rollback !== null) return [];
  const { cleanup, reason, message } = record.outcome;
  // Whoever takes a runtime over, or finds a rollout dead, knows less.
  if (stall !== null || ELSEWHERE.has(reason)) return [];
  const due = dueIn(record);
  const hasStops = stopsIn(record).length > 0;
  if (due === 'hold' && cleanup === 'incomplete' && !hasStops)
    return [`it had to leave its endpoints, and misses a cleanup: ${message}`];
  const isToAct = due === 'stop-old' || due === 'roll-back';
  if (!isToAct || cleanup !== 'none' || hasStops) return [];
  return missedIn(record).map((name) => `it has not looked at ${name}, and says: ${message}`);
}

const ELSEWHERE: ReadonlySet<string> = new Set([
  ErrorName.LeaseLost,
  ...['ExecutionAborted', 'TimedOut', 'ExecutionFailed', 'ExecutionNotFound'],
  'ExecutionWithoutOutcome',
]);

function dueIn({ signals, events }: RolloutRecord): FailurePolicy | undefined {
  const abort = findAbort(signals);
  if (abort !== undefined) return abort.onFailure ?? 'hold';
  return events.find((event) => event.kind === 'failing')?.onFailure;
}

/** The endpoints that have taken its roll, and that it has never seen live. */
function missedIn({ plan, progress, journal }: RolloutRecord): string[] {
  return (plan?.endpoints ?? []).flatMap(({ endpointId, name }, index) => {
    const { state = 'pending', wasConverged = false } = progress?.observations[index] ?? {};
    const last = journal.findLast((line) => line.endpointId === endpointId);
    const isSeen = ['converged', 'taken-back', 'superseded'].includes(state) || wasConverged;
    const isRolled = last?.operation === 'roll' && last.result === 'accepted';
    return isRolled && !isSeen ? [name ?? endpointId] : [];
  });
}

/** A way back is incomplete as long as something is neither back nor somebody else's, or a stop has no answer. What had no version before is kept. */
export function wayBackIsTold(ordeal: Ordeal, { record, outcome }: ScenarioResult): string[] {
  // Of a rollout that nobody goes on with, the record is all that is known.
  const isKnown = ordeal.stall === null && (ordeal.death === null || wasLeft(ordeal));
  if (record?.rollback == null || !isKnown) return [];
  const { plan } = record.rollback;
  const shown = record.progress?.direction === 'back' ? record.progress.observations : [];
  const isAway = plan.endpoints.some((_, index) => {
    const { state = 'pending', reads = 0 } = shown[index] ?? {};
    return state !== 'superseded' && (state !== 'converged' || reads < 2);
  });
  const stops = stopsIn(record).filter(isSent);
  const isUnfinished = stops.some((lines) => !DONE.has(lines.at(-1)?.result ?? ''));
  const isKept = plan.leftOut.some(({ reason }) => reason === 'previous-unknown');
  const back = cleanupOfAllBack(plan, shown);
  // Of a stop there is no way back.
  const done = stops.length === 0 ? back : back === 'none' ? 'stopped' : 'kept';
  const due = isAway || isUnfinished ? 'incomplete' : isKept ? 'kept' : done;
  return outcome.cleanup === due ? [] : [`its cleanup had to be ${due}, and is ${outcome.cleanup}`];
}

function isSent(lines: readonly JournalEntry[]): boolean {
  return isOpen(lines) || lines.some(({ result }) => result === 'accepted' || result === 'unknown');
}

/** One that was meant was neither answered nor kept back then, so it may have been sent. */
export function isOpen(stops: readonly JournalEntry[]): boolean {
  return stops.some(
    ({ result }, nth) => result === 'intended' && !CLOSED.has(stops[nth + 1]?.result ?? ''),
  );
}

const CLOSED: ReadonlySet<string> = new Set(['accepted', 'rejected', 'kept', 'not-sent']);

/** What is left of a way back belongs to somebody else. */
function cleanupOfAllBack(
  { endpoints, leftOut }: Rollback['plan'],
  shown: readonly Observation[],
): Cleanup {
  const isTheirs =
    shown.some(({ state }) => state === 'superseded') ||
    leftOut.some(({ reason }) => reason === 'moved');
  if (isTheirs) return 'kept';
  const isBack = leftOut.some(({ reason }) => reason === 'at-version');
  return endpoints.length > 0 || isBack ? 'rolledBack' : 'none';
}
