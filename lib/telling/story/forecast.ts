import type { Instant, Ms } from '../../domain/clock.ts';
import { estimateRollout } from '../../domain/planning/estimate.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import type { PlannedWave, RolloutPlan } from '../../domain/rollout/plan.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import type { Story } from './story.ts';

/** When a rollout is expected to go on and to end, if all rolls take as long as those before and nothing goes wrong. */
export interface Forecast {
  /** When its next wave begins. `null`: it is in the last one. */
  readonly waveAt: Instant | null;
  readonly endAt: Instant;
}

/** `null`: nobody can say. It waits for a person, goes back, stands still, or has not seen a roll come to its end. */
export function foreseeEnd(story: Story): Forecast | null {
  const { record, isAbandoned } = story;
  const { plan, progress, rollback, events } = record;
  if (isAbandoned || !wasOpened(record) || plan === null || progress === null) return null;
  const isOnItsWay = rollback === null && failingOf(events) === undefined;
  const { policy } = record.request;
  const rollMs = progress.fastestRollMs;
  if (!isOnItsWay || policy.verify.approval !== null || progress.isPaused || rollMs === null) {
    return null;
  }
  const estimate = (waves: RolloutPlan['waves'], beginsAt: Instant) => {
    const of = { ...plan, waves };
    return estimateRollout(of, policy, rollMs / 1000, undefined, progress.usualRollMs, beginsAt);
  };
  const [current, ...rest] = plan.waves.slice(progress.wave);
  if (current === undefined) return null;
  const overAt = endOfWave(story, current, (began) => estimate([current], began).seconds * 1000);
  if (overAt === null) return null;
  const { waves, seconds } = estimate(rest, overAt);
  const waveAt = rest.length === 0 ? null : overAt + (waves[0]?.startsAt ?? 0) * 1000;
  return { waveAt, endAt: overAt + seconds * 1000 };
}

/** When the wave that it is in has baked, and nothing but a window keeps the next one back. */
function endOfWave(
  { record, phase, now }: Story,
  { bakeSeconds }: PlannedWave,
  lastsFrom: (began: Instant) => Ms,
): Instant | null {
  const { wait, progress, events, startedAt } = record;
  switch (phase.phase) {
    case 'baking':
      return wait?.for === 'bake' ? wait.until : null;
    case 'window':
      return progress?.bakedMs === null ? null : phase.wait.until;
    case 'rolling': {
      const began = events.findLast(({ kind }) => kind === 'wave-started')?.at ?? startedAt;
      const overAt = began + lastsFrom(began);
      // What has taken longer already takes as long as it does.
      return overAt < now + bakeSeconds * 1000 ? null : overAt;
    }
    default:
      return null;
  }
}
