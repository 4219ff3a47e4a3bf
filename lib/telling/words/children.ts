import { nameInWords } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { WAITS } from '../../domain/rollout/wait.ts';
import { countWaves } from '../story/standing.ts';
import { storyOf } from '../story/story.ts';
import { plainText } from '../text.ts';
import { describeStage } from './phase.ts';

// The rollouts of the runtimes of a group, as the rollout of the group is shown.

/** A child with its end, for the story of its group. */
export function describeChild(child: AskedRollout): string {
  const { request, outcome, opening } = child;
  const { rolloutId, runtimeId, revert } = request;
  const way = revert === undefined ? '' : ' back';
  const state = opening === null ? 'under way' : 'waiting';
  const end = outcome === null ? state : `${nameInWords(outcome)}: ${outcome.message}`;
  return plainText(`${runtimeId}${way}, ${rolloutId}: ${end}`);
}

/** Where a child is now, without a countdown. `null`: it has just begun, and knows no endpoints yet. */
export function describeStageOf(child: AskedRollout, now: number): string | null {
  const { outcome, plan, opening, wait } = child;
  if (opening !== null && wait !== null) {
    return wait.for === 'start' ? null : plainText(wait.of ?? WAITS[wait.for].says);
  }
  return outcome === null && plan === null ? null : describeStage(storyOf(child, now));
}

/** How many endpoints of a child have converged, of all that it rolls. `null`: nobody knows them yet. */
export function countConverged(child: AskedRollout): string | null {
  const waves = countWaves(child);
  if (waves.length === 0) return null;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const converged = sum(waves.map((wave) => wave.converged));
  return `${converged}/${sum(waves.map(({ total }) => total))}`;
}
