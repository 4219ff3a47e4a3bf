import { ErrorName } from '../errors.ts';
import type { JournalEntry } from '../rollout.ts';

/** What the journal says of the rolls of one endpoint. */
export interface RollHistory {
  readonly last: JournalEntry | undefined;
  /** Rolls that the service refused with an answer. */
  readonly refusals: number;
  /** Rolls that were sent and may have been carried out. */
  readonly sent: number;
}

export const NO_ROLLS: RollHistory = { last: undefined, refusals: 0, sent: 0 };

/** The rolls of every endpoint that the journal names. */
export function rollHistories(journal: readonly JournalEntry[]): Map<string, RollHistory> {
  const histories = new Map<string, RollHistory>();
  for (const entry of journal) {
    if (entry.operation !== 'roll') continue;
    const { refusals, sent } = histories.get(entry.endpointId) ?? NO_ROLLS;
    histories.set(entry.endpointId, {
      last: entry,
      refusals: refusals + Number(entry.result === 'rejected'),
      sent: sent + Number(entry.result === 'accepted' || entry.result === 'unknown'),
    });
  }
  return histories;
}

/** Whether the newest roll may have been carried out. `intended` counts: we may have died after sending. */
export function wasSent(history: RollHistory): boolean {
  const result = history.last?.result;
  return result === 'accepted' || result === 'unknown' || result === 'intended';
}

const WORTH_ANOTHER_TRY: ReadonlySet<string> = new Set([
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTransient,
]);

/** A refusal that may pass: busy with another change, throttled, or a list that is ahead of the service. */
export function isRefusalWorthAnotherTry(reason: string | undefined): boolean {
  return reason !== undefined && WORTH_ANOTHER_TRY.has(reason);
}
