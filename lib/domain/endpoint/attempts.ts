import { isNoAccess, meaningOf } from '../error-meanings.ts';
import type { JournalEntry, WriteOperation } from './journal.ts';

/**
 * What the journal says of one kind of write to one endpoint. Every intention may have been carried out, until a
 * definite no takes it back: it was refused, or certainly not sent.
 */
export interface Attempts {
  /** The last line. `intended`: a process died then, or is about to send the write. `undefined`: there is none. */
  readonly last: JournalEntry | undefined;
  /** How often it was sent, or may have been. A refused one counts, unless nobody was let in. */
  readonly sent: number;
  /** Refusals that a repeat would not change at once. A write that was throttled, or did not arrive, is none. */
  readonly refusals: number;
  /**
   * How many of them may have been carried out. A refused second write does not undo the first one. All rolls of one
   * try have the same token and are carried out only once, so they count once until every one of them was refused.
   */
  readonly possible: number;
  /** The number of the last try. 0: the service does not repeat writes, or none was sent. */
  readonly tries: number;
  /** How many writes of that try have no certain answer. */
  readonly inDoubt: number;
}

/** At least one line of the journal is about it. */
export interface Attempted extends Attempts {
  readonly last: JournalEntry;
}

export const NO_ATTEMPTS: Attempts = {
  last: undefined,
  sent: 0,
  refusals: 0,
  possible: 0,
  tries: 0,
  inDoubt: 0,
};

/** Every endpoint in the journal with its writes of one kind, in the order of each endpoint's first line. */
export function attemptsOf(
  journal: readonly JournalEntry[],
  operation: WriteOperation,
): Map<string, Attempted> {
  const attempts = new Map<string, Attempted>();
  for (const entry of journal) {
    if (entry.operation !== operation) continue;
    attempts.set(entry.endpointId, addLine(attempts.get(entry.endpointId), entry));
  }
  return attempts;
}

export function addLine(before: Attempts = NO_ATTEMPTS, entry: JournalEntry): Attempted {
  const { sent, refusals, possible, tries, inDoubt } = before;
  const after = { ...before, last: entry };
  switch (entry.result) {
    case 'intended': {
      const { try: number = 0 } = entry;
      const isSameTry = number > 0 && number === tries && inDoubt > 0;
      return isSameTry
        ? { ...after, sent: sent + 1, inDoubt: inDoubt + 1 }
        : { ...after, sent: sent + 1, possible: possible + 1, tries: number, inDoubt: 1 };
    }
    case 'rejected': {
      const { reason = '' } = entry;
      const isRefusal = meaningOf(reason).roll !== 'again';
      return {
        ...after,
        ...takenBack(before),
        // Nobody was let in, so that nothing was asked of the service.
        sent: sent - Number(isNoAccess(reason)),
        refusals: refusals + Number(isRefusal),
      };
    }
    case 'not-sent':
      return { ...after, ...takenBack(before), sent: Math.max(0, sent - 1) };
    case 'kept':
      // A stop in doubt is never noted as kept. So what was intended was not sent.
      return { ...after, sent: sent - possible, possible: 0, inDoubt: 0 };
    case 'accepted':
      return { ...after, inDoubt: 0 };
    case 'unknown':
      return after;
    default:
      return entry.result satisfies never;
  }
}

function takenBack({ possible, inDoubt }: Attempts): Pick<Attempts, 'possible' | 'inDoubt'> {
  return inDoubt > 1
    ? { possible, inDoubt: inDoubt - 1 }
    : { possible: Math.max(0, possible - 1), inDoubt: 0 };
}

/** Reads a journal line by line and counts how often the write of each line may have been carried out so far. */
export function countPossible(): (entry: JournalEntry) => number {
  const attempts = new Map<string, Attempts>();
  return (entry) => {
    const key = `${entry.operation} ${entry.endpointId}`;
    const after = addLine(attempts.get(key), entry);
    attempts.set(key, after);
    return after.possible;
  };
}

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
