import { countPossible, type JournalEntry, type WriteOperation } from '../endpoint/journal.ts';
import type { AskedRollout } from '../rollout/record.ts';

/** The writes to the endpoints of one wave of the plan. Each number counts endpoints. */
export interface WaveWrites {
  /** 1-based. */
  readonly wave: number;
  readonly endpoints: number;
  /** Endpoints whose roll was accepted, or may have been. */
  readonly rolled: number;
  /** Endpoints that were rolled more than once, because nobody knew the result of the first roll. */
  readonly repeated: number;
  /** Endpoints whose last roll the service refused, by its reason. */
  readonly refused: ReadonlyMap<string, number>;
  readonly rolledBack: number;
  readonly stopped: number;
  /** Endpoints whose stop was kept back, by the reason. */
  readonly kept: ReadonlyMap<string, number>;
}

/** The writes of each wave of the plan forward. */
export function summarizeWrites({
  plan,
  journal,
}: Pick<AskedRollout, 'plan' | 'journal'>): WaveWrites[] {
  const last = lastAnswers(journal);
  const repeated = findRepeated(journal);
  return (plan?.waves ?? []).map(({ from, to }, index) => {
    const ids = plan?.endpoints.slice(from, to).map(({ endpointId }) => endpointId) ?? [];
    const answers = (operation: WriteOperation, results: readonly JournalEntry['result'][]) =>
      ids.flatMap((id) => {
        const entry = last.get(keyOf(operation, id));
        return entry !== undefined && results.includes(entry.result) ? [entry] : [];
      });
    return {
      wave: index + 1,
      endpoints: ids.length,
      rolled: answers('roll', SENT).length,
      repeated: ids.filter((id) => repeated.has(id)).length,
      refused: countReasons(answers('roll', ['rejected'])),
      rolledBack: answers('roll-back', SENT).length,
      stopped: answers('stop', ['accepted']).length,
      kept: countReasons(answers('stop', ['kept'])),
    };
  });
}

const SENT = ['accepted', 'unknown', 'intended'] as const;

function keyOf(operation: WriteOperation, endpointId: string): string {
  return `${operation} ${endpointId}`;
}

function lastAnswers(journal: readonly JournalEntry[]): Map<string, JournalEntry> {
  return new Map(journal.map((entry) => [keyOf(entry.operation, entry.endpointId), entry]));
}

function findRepeated(journal: readonly JournalEntry[]): Set<string> {
  const mayHaveBeenMade = countPossible();
  const repeated = journal.filter(
    (entry) => mayHaveBeenMade(entry) > 1 && entry.operation === 'roll',
  );
  return new Set(repeated.map(({ endpointId }) => endpointId));
}

function countReasons(entries: readonly JournalEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reason = 'unexplained' } of entries) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
