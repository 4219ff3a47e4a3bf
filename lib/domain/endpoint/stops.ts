import type { JournalEntry } from './journal.ts';

/** What the journal says of the stops of one endpoint. */
export interface StopHistory {
  /** The last line decides: a stop that was kept back may be sent later. */
  readonly last: JournalEntry;
  /** How often a stop was intended. It may have been sent as often. */
  readonly meant: number;
  /**
   * The stop may have been carried out: it was sent, or its last line is an intention, and no answer says otherwise.
   */
  readonly wasSent: boolean;
}

/** The stops of this rollout by the id of their endpoint, in the order of each endpoint's first line. */
export function stopHistories(journal: readonly JournalEntry[]): Map<string, StopHistory> {
  const histories = new Map<string, StopHistory & { readonly wasAnswered: boolean }>();
  for (const last of journal) {
    if (last.operation !== 'stop') continue;
    const { meant = 0, wasAnswered = false } = histories.get(last.endpointId) ?? {};
    const isAnswered = wasAnswered || last.result === 'accepted' || last.result === 'unknown';
    histories.set(last.endpointId, {
      last,
      meant: meant + Number(last.result === 'intended'),
      wasAnswered: isAnswered,
      wasSent: isAnswered || last.result === 'intended',
    });
  }
  return histories;
}

/** Ids of the endpoints whose stop may have been carried out. */
export function findStopsSent(journal: readonly JournalEntry[]): Set<string> {
  const sent = [...stopHistories(journal)].filter(([, { wasSent }]) => wasSent);
  return new Set(sent.map(([endpointId]) => endpointId));
}
