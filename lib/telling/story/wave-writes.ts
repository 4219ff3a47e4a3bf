import { NO_ATTEMPTS, stopHistories } from '../../domain/endpoint/attempts.ts';
import type { JournalEntry } from '../../domain/endpoint/journal.ts';
import { rollHistories, wasSent } from '../../domain/endpoint/rolls.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';

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
  const rolls = rollHistories(journal, 'forward');
  const rollsBack = rollHistories(journal, 'back');
  const stops = stopHistories(journal);
  return (plan?.waves ?? []).map(({ from, to }, index) => {
    const ids = plan?.endpoints.slice(from, to).map(({ endpointId }) => endpointId) ?? [];
    const rolled = ids.map((id) => rolls.get(id) ?? NO_ATTEMPTS);
    const lastRolls = rolled.flatMap(({ last }) => last ?? []);
    const lastStops = ids.flatMap((id) => stops.get(id)?.last ?? []);
    return {
      wave: index + 1,
      endpoints: ids.length,
      rolled: rolled.filter(wasSent).length,
      repeated: rolled.filter(({ possible }) => possible > 1).length,
      refused: countReasons(lastRolls.filter(({ result }) => result === 'rejected')),
      rolledBack: ids.filter((id) => wasSent(rollsBack.get(id) ?? NO_ATTEMPTS)).length,
      stopped: lastStops.filter(({ result }) => result === 'accepted').length,
      kept: countReasons(lastStops.filter(({ result }) => result === 'kept')),
    };
  });
}

function countReasons(entries: readonly JournalEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reason = 'unexplained' } of entries) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
