import { latestObservations } from '../../domain/ending/fate.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';
import { hasConverged, isInMidRoll, isLostForGood } from '../../domain/endpoint/observation.ts';
import { type AskedRollout, activePlan, progressOn } from '../../domain/rollout/record.ts';

export interface WaveCount {
  /** 1-based. */
  readonly wave: number;
  readonly waves: number;
  readonly direction: Direction;
  readonly state: 'waiting' | 'current' | 'done';
  readonly total: number;
  readonly converged: number;
  readonly inMidRoll: number;
  readonly lost: number;
}

/** How far each wave has got, in the plan that is followed now. */
export function countWaves(record: AskedRollout): WaveCount[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const { direction, waves } = plan;
  const observations = latestObservations(record);
  const current = progressOn(record, plan)?.wave ?? 0;
  return waves.map(({ from, to }, index) => {
    const seen = observations.slice(from, to);
    const converged = seen.filter(hasConverged).length;
    const total = to - from;
    return {
      wave: index + 1,
      waves: waves.length,
      direction,
      state: stateOf(index, current, converged === total),
      total,
      converged,
      inMidRoll: seen.filter(isInMidRoll).length,
      lost: seen.filter(isLostForGood).length,
    };
  });
}

function stateOf(index: number, current: number, isWhole: boolean): WaveCount['state'] {
  if (index > current) return 'waiting';
  return index < current || isWhole ? 'done' : 'current';
}
