import type { JournalEntry } from './journal.ts';

/** What the journal says of the stops of one endpoint. */
export interface StopHistory {
  /** The last line counts: a stop that was kept back may be sent later. */
  readonly last: JournalEntry;
  /** How often a stop was meant: it may have been sent as often. */
  readonly meant: number;
  /** It may have been carried out: it was sent, or meant at last, and no answer says otherwise. */
  readonly wasSent: boolean;
}

/** By the ids of the endpoints that a stop of this rollout was about, in the order of their first lines. */
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
