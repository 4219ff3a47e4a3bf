import type { Instant } from '../../domain/clock.ts';
import { describeScope, type Hold, isOver } from '../../domain/holds/hold.ts';
import { describeWait } from '../../domain/rollout/opening.ts';
import type { Story } from '../story/story.ts';
import { plainText } from '../text.ts';
import { toListedRollout } from '../view/listed.ts';
import { nameOfRollout } from './name.ts';
import { describeStage } from './phase.ts';
import { describeForecast, presentOf } from './view.ts';

/** Something that will happen if nobody does anything. */
export interface Coming {
  readonly key: string;
  /** What it happens to. */
  readonly name: string;
  /** `null`: it is no rollout yet. */
  readonly rolloutId: string | null;
  /** What happens when, in time. Empty: nobody can say when. */
  readonly moments: readonly ComingMoment[];
  readonly says: string;
}

export interface ComingMoment {
  readonly at: Instant;
  readonly what: string;
  /** Whether it is foreseen from how long rolls took, and may come otherwise. */
  readonly isForeseen: boolean;
}

/** A schedule of the configuration, and when it is due next. */
export interface DueSchedule {
  readonly name: string;
  /** `null`: nobody can say. */
  readonly next: Instant | null;
  readonly message: string;
}

interface Known {
  readonly now: Instant;
  readonly open: readonly Story[];
  readonly schedules: readonly DueSchedule[];
  readonly holds: readonly Hold[];
}

/** What will come, the next one first, and then that of which nobody can say when. */
export function listComing({ now, open, schedules, holds }: Known): readonly Coming[] {
  const all: readonly Coming[] = [
    ...open.map((story) => comingOf(story, holds)),
    ...schedules.map(({ name, next, message }) => ({
      ...{ key: `schedule ${name}`, name: plainText(`Schedule ${name}`), rolloutId: null },
      moments: next === null ? [] : [fixed(next, 'starts a rollout')],
      says: plainText(message),
    })),
    ...holds
      .filter((hold) => !isOver(hold, now))
      .map(({ id, kind, scope, until, by, reason }) => ({
        ...{ key: `hold ${id} ${kind}`, rolloutId: null },
        name: plainText(`${kind} of ${describeScope(scope)}`),
        moments: until === null ? [] : [fixed(until, 'ends')],
        says: plainText(`From ${by}: ${reason}`),
      })),
  ];
  const first = ({ moments }: Coming) => moments[0]?.at ?? Number.POSITIVE_INFINITY;
  // What is due by now comes at once.
  return all
    .map((one) => ({ ...one, moments: one.moments.filter(({ at }) => at >= now) }))
    .toSorted((one, other) => Math.sign(first(one) - first(other)) || 0);
}

function fixed(at: Instant, what: string): ComingMoment {
  return { at, what, isForeseen: false };
}

function comingOf(story: Story, holds: readonly Hold[]): Coming {
  const { request, startedAt, wait, endedAt, outcome } = story.record;
  const { forecast } = presentOf(story, null, { holds });
  const listed = toListedRollout({ ...request, ...{ startedAt, wait, endedAt, outcome } });
  const hasBegun = wait === null || wait.wave !== null;
  const stands = hasBegun ? `${describeStage(story)}.` : describeWait(wait);
  return {
    ...{ key: request.rolloutId, rolloutId: request.rolloutId, name: nameOfRollout(listed) },
    moments: momentsOf(story, forecast),
    says: plainText(forecast === null ? stands : `${stands} ${describeForecast(forecast)}`),
  };
}

function momentsOf(
  { record: { wait }, phase, isAbandoned }: Story,
  forecast: ReturnType<typeof presentOf>['forecast'],
): readonly ComingMoment[] {
  if (forecast !== null) {
    const { waveAt, endAt } = forecast;
    const times = [
      ...(waveAt === null ? [] : [{ at: waveAt, what: 'the next wave begins' }]),
      { at: endAt, what: 'it ends' },
    ];
    return times.map(({ at, what }) => ({ at: Date.parse(at), what, isForeseen: true }));
  }
  const until = wait?.until ?? null;
  if (wait === null || until === null || isAbandoned) return [];
  if (phase.phase === 'approval') {
    return [
      fixed(until, `it is ${phase.onTimeout === 'approve' ? 'approved' : 'rejected'} by itself`),
    ];
  }
  if (wait.for === 'bake') return [fixed(until, 'its bake ends')];
  if (wait.for === 'window' || wait.for === 'hold') {
    return [fixed(until, wait.wave === null ? 'it may begin' : 'it goes on')];
  }
  // What else has an end is a limit, and nobody hopes to get there.
  return wait.wave === null ? [fixed(until, 'it waits no longer')] : [];
}
