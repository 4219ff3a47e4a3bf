import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Happening, listHappenings } from '../../domain/story/happenings.ts';
import { phaseOf } from '../../domain/story/phase.ts';
import {
  countWaves,
  type EndpointRow,
  listEndpointRows,
  type WaveCount,
} from '../../domain/story/standing.ts';
import { plainText } from '../terminal/text.ts';
import { nameInWords } from './outcome.ts';
import { describePhase, describeStage } from './phase.ts';

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

// The rollouts of the runtimes of a group, as the rollout of the group is shown.

/** A child with its end, for the story of its group. */
export function describeChild(child: AskedRollout): string {
  const { request, outcome, waiting } = child;
  const { rolloutId, runtimeId, revert } = request;
  const way = revert === undefined ? '' : ' back';
  const state = waiting === null ? 'under way' : 'waiting';
  const end = outcome === null ? state : `${nameInWords(outcome)}: ${outcome.message}`;
  return plainText(`${runtimeId}${way}, ${rolloutId}: ${end}`);
}

/** Where a child is now, and how long that may take. */
export function describeProgress(child: AskedRollout, now: number): string {
  return describePhase(phaseOf(child, now), nameOfWave(modelOf(child)));
}

/**
 * The same without a countdown, which would be news all the time. `null`: it has just begun, and knows no endpoints
 * yet.
 */
export function describeStageOf(child: AskedRollout, now: number): string | null {
  const { outcome, plan, waiting } = child;
  if (waiting !== null) return waiting.for === 'start' ? null : plainText(waiting.message);
  if (outcome === null && plan === null) return null;
  return describeStage(phaseOf(child, now), nameOfWave(modelOf(child)));
}

/** How many endpoints of a child have converged, of all that it rolls. `null`: nobody knows them yet. */
export function countConverged(child: AskedRollout): string | null {
  const waves = countWaves(child);
  if (waves.length === 0) return null;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const converged = sum(waves.map((wave) => wave.converged));
  return `${converged}/${sum(waves.map(({ total }) => total))}`;
}
