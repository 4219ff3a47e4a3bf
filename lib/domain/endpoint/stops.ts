import type { JournalEntry } from './journal.ts';

/** What the journal says of the stops of one endpoint. */
export interface StopHistory {
  /** The last line decides: a stop that was kept back may be sent later. */
  readonly last: JournalEntry;
  /**
   * How many stops may have been carried out: all that were meant, less those that were refused or called off. A
   * refused second stop does not undo the first one.
   */
  readonly possible: number;
}

/** The stops of this rollout by the id of their endpoint, in the order of each endpoint's first line. */
export function stopHistories(journal: readonly JournalEntry[]): Map<string, StopHistory> {
  const histories = new Map<string, StopHistory>();
  for (const last of journal) {
    if (last.operation !== 'stop') continue;
    const before = histories.get(last.endpointId);
    const wasMeant = before?.last.result === 'intended';
    const isOff = wasMeant && (last.result === 'rejected' || last.result === 'kept');
    const possible = (before?.possible ?? 0) + Number(last.result === 'intended') - Number(isOff);
    histories.set(last.endpointId, { last, possible });
  }
  return histories;
}

/** Ids of the endpoints whose stop may have been carried out. */
export function findStopsSent(journal: readonly JournalEntry[]): Set<string> {
  const sent = [...stopHistories(journal)].filter(([, { possible }]) => possible > 0);
  return new Set(sent.map(([endpointId]) => endpointId));
}
