import { countPossible, type JournalEntry, type WriteOperation } from '../endpoint/journal.ts';
import type { AskedRollout } from '../rollout/record.ts';

/** What was written to the endpoints of one wave of the plan. Each number counts endpoints. */
export interface WaveWrites {
  /** 1-based. */
  readonly wave: number;
  readonly endpoints: number;
  /** A roll was accepted, or may have been. */
  readonly rolled: number;
  /** Rolled more than once, because nobody knew what had become of the first time. */
  readonly repeated: number;
  /** The service's last word was no, by its reason. */
  readonly refused: ReadonlyMap<string, number>;
  readonly rolledBack: number;
  readonly stopped: number;
  /** Stops that were kept back, by their reason. */
  readonly kept: ReadonlyMap<string, number>;
}

/** Wave by wave of the first plan, that of the way forward. */
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
