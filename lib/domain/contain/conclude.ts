import type { Ending } from '../decision.ts';
import type { Cleanup, Outcome } from '../outcome.ts';
import type { JournalEntry, WriteResult } from '../rollout.ts';

/**
 * The outcome of a rollout: why it ended, and truthfully what was done about the old endpoints.
 * `oldEndpoints` is how many there were to look at; one without a line in the journal was not.
 */
export function conclude(
  ending: Ending,
  journal: readonly JournalEntry[],
  oldEndpoints: number,
): Outcome {
  const results = lastStops(journal);
  const cleanup = cleanupOf(results, oldEndpoints);
  return {
    ...ending,
    cleanup,
    message: `${asSentence(ending.message)}${describeStops(results, oldEndpoints)}`,
  };
}

type LastStop = Pick<JournalEntry, 'result' | 'reason'>;

function lastStops(journal: readonly JournalEntry[]): LastStop[] {
  const last = new Map<string, LastStop>();
  for (const entry of journal) {
    if (entry.operation === 'stop') last.set(entry.endpointId, entry);
  }
  return [...last.values()];
}

/** A stop that was not needed any more, because the endpoint made it or was stopped by others. */
const NEEDLESS: ReadonlySet<string> = new Set(['went-live', 'stopped-already']);

function cleanupOf(stops: readonly LastStop[], oldEndpoints: number): Cleanup {
  const isDone = (result: WriteResult) => result === 'accepted' || result === 'kept';
  if (stops.length < oldEndpoints || !stops.every(({ result }) => isDone(result))) {
    return 'incomplete';
  }
  if (stops.some(({ result, reason }) => result === 'kept' && !NEEDLESS.has(reason ?? ''))) {
    return 'kept';
  }
  return stops.some(({ result }) => result === 'accepted') ? 'stopped' : 'none';
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function describeStops(stops: readonly LastStop[], oldEndpoints: number): string {
  if (stops.length === 0 && oldEndpoints === 0) return '';
  const unseen = Math.max(0, oldEndpoints - stops.length);
  const stopped = stops.filter(({ result }) => result === 'accepted').length;
  const kept = stops.filter(({ result }) => result === 'kept');
  const unsure = stops.length - stopped - kept.length;
  const reasons = [...new Set(kept.map(({ reason }) => reason))].join(', ');
  const parts = [
    `${stopped} stopped`,
    ...(kept.length > 0 ? [`${kept.length} kept (${reasons})`] : []),
    ...(unsure > 0 ? [`${unsure} in doubt`] : []),
    ...(unseen > 0 ? [`${unseen} not looked at`] : []),
  ];
  return ` Old endpoints: ${parts.join(', ')}.`;
}
