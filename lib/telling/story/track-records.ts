import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';

/** So many rollouts of a runtime are looked back at. */
export const LOOKED_BACK = 20;

/** How often a gate that only watches was right. */
export interface TrackRecord {
  /** `alarm shop-5xx`, `metric Errors`, `probe`. */
  readonly gate: string;
  readonly right: number;
  /** In so many rollouts it can be said. */
  readonly of: number;
}

/**
 * How often the gates that only watch a rollout were right. One was right in a rollout that ended as bad if that would have
 * failed because of it, and in one that succeeded if it said yes and that would not have. Of other ends, and of a gate
 * that never answered, nothing can be said.
 *
 * @param past The last rollouts of its runtime.
 */
export function trackRecordsOf(
  { progress }: Pick<AskedRollout, 'progress'>,
  past: readonly Pick<RolloutSummary, 'outcome'>[],
): TrackRecord[] {
  return (progress?.watched ?? []).map(({ gate }) => {
    const judged = past.flatMap(({ outcome }) => wasRight(gate, outcome) ?? []);
    return { gate, right: judged.filter((isRight) => isRight).length, of: judged.length };
  });
}

function wasRight(gate: string, outcome: Outcome | null): boolean | undefined {
  const said = outcome?.watched?.find((one) => one.gate === gate);
  if (outcome?.failure === 'bad') return said?.wouldHaveFailed;
  return outcome?.outcome === 'Succeeded' ? said && !said.wouldHaveFailed : undefined;
}
