import type { Instant } from '../../domain/clock.ts';
import { estimateRollout } from '../../domain/planning/estimate.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import type { Story } from './story.ts';

/** When a rollout is expected to go on and to end, if all rolls take as long as those before and nothing goes wrong. */
export interface Forecast {
  /** When its next wave begins. `null`: it is in the last one. */
  readonly waveAt: Instant | null;
  readonly endAt: Instant;
}

/** `null`: nobody can say. It waits for a person, goes back, stands still, or has not seen a roll come to its end. */
export function foreseeEnd({ record, phase, now, isAbandoned }: Story): Forecast | null {
  const { plan, progress, rollback, wait, events } = record;
  if (isAbandoned || !wasOpened(record) || plan === null || progress === null) return null;
  const isOnItsWay = rollback === null && failingOf(events) === undefined;
  const { policy } = record.request;
  const rollMs = progress.fastestRollMs;
  if (!isOnItsWay || policy.verify.approval !== null || progress.isPaused || rollMs === null) {
    return null;
  }
  const estimate = (waves: RolloutPlan['waves']) =>
    estimateRollout({ ...plan, waves }, policy, rollMs / 1000, undefined, progress.usualRollMs)
      .seconds * 1000;
  const [current, ...rest] = plan.waves.slice(progress.wave);
  if (current === undefined) return null;
  let overAt: Instant;
  if (phase.phase === 'baking' && wait?.for === 'bake' && wait.until !== null) {
    overAt = wait.until;
  } else if (phase.phase === 'rolling') {
    const began = events.findLast(({ kind }) => kind === 'wave-started')?.at ?? record.startedAt;
    overAt = began + estimate([current]);
    // What has taken longer already takes as long as it does.
    if (overAt < now + current.bakeSeconds * 1000) return null;
  } else {
    return null;
  }
  return { waveAt: rest.length === 0 ? null : overAt, endAt: overAt + estimate(rest) };
}
