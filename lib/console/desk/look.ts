import type { Engine } from '../../cli/engine/engine.ts';
import { ownerHere } from '../../cli/engine/who-is-here.ts';
import { findStanding } from '../../cli/hold/lift.ts';
import { versionOf } from '../../cli/rollout/follow.ts';
import { readOpen } from '../../cli/rollout/read-open.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import { countOf } from '../../domain/sentences.ts';
import { isPromoted } from '../../domain/signals/promote.ts';
import { toSummary } from '../../ledger/record.ts';
import { courseOf } from '../../telling/story/course.ts';
import type { Happening } from '../../telling/story/happenings.ts';
import { waveThatBakes } from '../../telling/story/phase.ts';
import { type Story, storyOf } from '../../telling/story/story.ts';
import { plainText } from '../../telling/text.ts';
import { toListedRollout } from '../../telling/view/listed.ts';
import { describeHappening } from '../../telling/words/happening.ts';
import { describeStateInFull } from '../../telling/words/mid-roll.ts';
import { describeStage, newsOf } from '../../telling/words/phase.ts';
import {
  describeCourse,
  describeForecast,
  isWorthCounting,
  presentOf,
} from '../../telling/words/view.ts';
import type { OpenRollout, OpenRollouts, ToldHappening } from '../desk.ts';
import { toStanding } from './holds.ts';

/** How many of its last happenings a rollout is shown with. */
const FEW = 3;

/** Every rollout that has not ended. @param where The arguments with which a command finds the engine. */
export async function lookAtOpen(
  engine: Engine,
  now: number,
  where: string,
): Promise<Pick<OpenRollouts, 'rollouts' | 'newest' | 'holds'>> {
  const [open, [newest], holds, me] = await Promise.all([
    readOpen(engine),
    engine.ledger.list({ limit: 1 }),
    findStanding(engine.ledger),
    ownerHere(engine),
  ]);
  return {
    rollouts: withRuntimes(
      open.map(({ record, isAbandoned }) =>
        toOpenRollout(storyOf(record, now, isAbandoned), holds, where),
      ),
    ).toSorted((a, b) => wish(b) - wish(a) || b.startedAt.localeCompare(a.startedAt)),
    newest: newest?.rolloutId ?? null,
    holds: toStanding(holds, me),
  };
}

/** So many of its runtimes speak for a group. */
const MOST_RUNTIMES = 3;

/** What the runtimes of a group want is wanted of whoever looks at the group, unless it wants something itself. */
function withRuntimes(all: readonly OpenRollout[]): readonly OpenRollout[] {
  const runtimes = Map.groupBy(all, ({ parent }) => parent);
  return all.map((one) => {
    const own = runtimes.get(one.rolloutId)?.filter(({ wants }) => wants.length > 0) ?? [];
    if (own.length === 0 || one.wants.length > 0) return one;
    const first = own.toSorted((a, b) => Number(a.isStuck) - Number(b.isStuck));
    const wants = first
      .slice(0, MOST_RUNTIMES)
      .flatMap(({ runtimeId, wants }) =>
        wants.map((want, place) =>
          place > 0 ? want : { ...want, says: `${plainText(runtimeId)}: ${want.says}` },
        ),
      );
    const more = own.length - MOST_RUNTIMES;
    const rest = more > 0 ? [newsOf(`Besides, ${countOf(more, 'runtime')} more.`)] : [];
    return { ...one, isStuck: own.every(({ isStuck }) => isStuck), wants: [...wants, ...rest] };
  });
}

/** Those that want something of people come first. */
function wish({ wants }: OpenRollout): number {
  return wants.length > 0 ? 1 : 0;
}

function toOpenRollout(story: Story, holds: readonly Hold[], where: string): OpenRollout {
  const { record, now, at, phase, isAbandoned } = story;
  const bakes = wasOpened(record) ? waveThatBakes(record) : null;
  const isEnded = bakes !== null && isPromoted(record.signals, bakes);
  const pausedBy = whatPauses(record.request, holds, now).map(({ id }) => id);
  const { wants, stuck, gates, forecast } = presentOf(story, where, { holds });
  return {
    ...toListedRollout(toSummary(record)),
    bakes: bakes === null || isEnded ? null : bakes + 1,
    state: describeStateInFull(story),
    stage: describeStage(story),
    // Its own line says what holds it.
    wants: wants.filter(({ kind }) => kind !== 'hold'),
    isStuck: stuck !== null,
    gates: gates.filter(isWorthCounting).map(describeCourse),
    forecast: forecast && describeForecast(forecast),
    isAbandoned,
    phase: phase.phase,
    at,
    pausedBy,
    waves: story.waves,
    course: courseOf(record, at),
    news: story.happenings.slice(-FEW).map(toTold).toReversed(),
    stamp: `${versionOf(record)} ${isAbandoned}`,
  };
}

export function toTold(happening: Happening): ToldHappening {
  const { at, kind } = happening;
  return { at, kind, text: describeHappening(happening) };
}
