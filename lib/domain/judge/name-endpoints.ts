import type { Observation, WaveProgress } from '../observation.ts';
import type { RolloutPlan } from '../rollout-plan.ts';

/** `Wave 2 of 3`. */
export function waveOf(plan: RolloutPlan, progress: WaveProgress): string {
  return `Wave ${progress.wave + 1} of ${plan.waves.length}`;
}

/** Names in a sentence: the rest is a number. */
export const MAX_NAMES = 3;

/** "web-03 is", "web-03 and web-04 are", "web-03, web-04, web-05 and 7 more are". */
export function namesWhere(
  plan: RolloutPlan,
  progress: WaveProgress,
  isMeant: (observation: Observation) => boolean,
): string {
  const names = progress.observations.flatMap((observation, position) => {
    const planned = plan.endpoints[position];
    return planned !== undefined && isMeant(observation)
      ? [planned.name ?? planned.endpointId]
      : [];
  });
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more are`;
  const last = shown.pop() ?? 'no endpoint';
  return shown.length > 0 ? `${shown.join(', ')} and ${last} are` : `${last} is`;
}
