import { type Attempted, type Attempts, attemptsOf } from './attempts.ts';
import type { JournalEntry } from './journal.ts';

/** The stops of this rollout by the id of their endpoint. The last line decides: a stop that was kept may be sent later. */
export function stopHistories(journal: readonly JournalEntry[]): Map<string, Attempted> {
  return attemptsOf(journal, 'stop');
}

/** Ids of the endpoints whose stop may have been carried out. */
export function findStopsSent(journal: readonly JournalEntry[]): Set<string> {
  return mayBeMade(stopHistories(journal));
}

/** Ids of the endpoints to which a write may have been carried out. */
export function mayBeMade(attempts: ReadonlyMap<string, Attempts>): Set<string> {
  const possible = [...attempts].filter(([, each]) => each.possible > 0);
  return new Set(possible.map(([endpointId]) => endpointId));
}
