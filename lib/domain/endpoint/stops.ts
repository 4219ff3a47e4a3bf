import { isNoAccess } from '../error-meanings.ts';
import type { JournalEntry } from './journal.ts';

/** What the journal says of the stops of one endpoint. */
export interface StopHistory {
  /** The last line decides: a stop that was kept back may be sent later. */
  readonly last: JournalEntry;
  /**
   * How often a stop may have been sent: every time that one was meant and somebody was let in. One is kept back only
   * if none is in doubt.
   */
  readonly sent: number;
  /**
   * How many of these may have been carried out: those that were not refused. A refused second stop does not undo the
   * first one.
   */
  readonly possible: number;
}

/** The stops of this rollout by the id of their endpoint, in the order of each endpoint's first line. */
export function stopHistories(journal: readonly JournalEntry[]): Map<string, StopHistory> {
  const histories = new Map<string, StopHistory>();
  for (const last of journal) {
    if (last.operation !== 'stop') continue;
    const { last: before, sent, possible } = histories.get(last.endpointId) ?? NO_STOPS;
    const wasMeant = before?.result === 'intended';
    const isMeant = Number(last.result === 'intended');
    const isRefused = Number(wasMeant && last.result === 'rejected');
    const isKept = last.result === 'kept';
    const isLockedOut = wasMeant && isNoAccess(last.reason ?? '');
    histories.set(last.endpointId, {
      last,
      sent: isKept ? sent - possible : sent + isMeant - Number(isLockedOut),
      possible: isKept ? 0 : possible + isMeant - isRefused,
    });
  }
  return histories;
}

const NO_STOPS = { last: undefined, sent: 0, possible: 0 };

/** Ids of the endpoints whose stop may have been carried out. */
export function findStopsSent(journal: readonly JournalEntry[]): Set<string> {
  const sent = [...stopHistories(journal)].filter(([, { possible }]) => possible > 0);
  return new Set(sent.map(([endpointId]) => endpointId));
}
