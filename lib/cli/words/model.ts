import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Happening, listHappenings } from '../../domain/story/happenings.ts';
import {
  countWaves,
  type EndpointRow,
  listEndpointRows,
  type WaveCount,
} from '../../domain/story/standing.ts';

/** Everything that a view shows of a rollout. It is made anew for each new record. */
export interface RolloutModel {
  readonly record: AskedRollout;
  readonly waves: readonly WaveCount[];
  readonly rows: readonly EndpointRow[];
  readonly happenings: readonly Happening[];
}

export function modelOf(record: AskedRollout): RolloutModel {
  return {
    record,
    waves: countWaves(record),
    rows: listEndpointRows(record),
    happenings: listHappenings(record),
  };
}

/** Name of the current wave, with its place in the plan: `Wave 2 of 3`, or `Rollback`. */
export function nameOfWave({ waves, record }: Pick<RolloutModel, 'waves' | 'record'>): string {
  const current = waves[record.progress?.wave ?? 0] ?? waves.at(-1);
  if (current === undefined) return 'Plan';
  return current.direction === 'back' ? 'Rollback' : `Wave ${current.wave} of ${current.waves}`;
}
