import { toTime, toTimeOrNull } from '../../contract/event.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { clockTime, dateMinute } from '../../domain/local-time.ts';
import { nameInWords } from '../../domain/rollout/outcome.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { whatCameAfter } from '../story/after.ts';
import { foreseeEnd } from '../story/forecast.ts';
import { holdingNow, holdsOn } from '../story/holds-on.ts';
import type { Story } from '../story/story.ts';
import { findStuck } from '../story/stuck.ts';
import type { TrackRecord } from '../story/track-records.ts';
import { plainText } from '../text.ts';
import {
  type RolloutView,
  type ToldOfView,
  toCourses,
  toHolds,
  toRolloutView,
} from '../view/rollout-view.ts';
import { stepsAfter } from './errors.ts';
import { describeStateInFull } from './mid-roll.ts';
import { listWants } from './phase.ts';
import { type EngineArguments, listStuck } from './stuck.ts';

/** What is known besides the record of a rollout. */
export interface Around {
  /** The rollouts that one of a group has started. @default - none */
  readonly children?: readonly AskedRollout[];
  /** How often its gates that only watch were right. @default - nobody has looked */
  readonly tracks?: readonly TrackRecord[];
  /** The holds that nobody has lifted. @default - nobody has looked, so its log says what holds it */
  readonly holds?: readonly Hold[];
  /** Rollouts of its runtime that have rolled something, the newest first. @default - nobody has looked */
  readonly newer?: readonly RolloutSummary[];
}

/** What a view says of a rollout as it is now, for pictures that come every second. */
export type Present = Pick<RolloutView, 'state' | 'stuck' | 'wants' | 'forecast' | 'gates'>;

/** @param engine The arguments with which its reader's commands find the engine. */
export function presentOf(
  story: Story,
  engine: EngineArguments,
  { holds: standing }: Pick<Around, 'holds'> = {},
): Present {
  const { record, now, phase } = story;
  const gates = toCourses(record);
  if (phase.phase === 'ended') {
    return { state: null, stuck: null, wants: [], forecast: null, gates };
  }
  const holding = holdingNow(holdsOn(record, now, standing));
  const stuck = findStuck(story);
  const [toldStuck] = listStuck(story, engine);
  const forecast = foreseeEnd(story);
  return {
    gates,
    state: describeStateInFull(story),
    stuck: stuck && { since: toTime(stuck.since), message: toldStuck?.says ?? '' },
    wants: listWants(story, engine, holding),
    forecast: forecast && {
      waveAt: toTimeOrNull(forecast.waveAt),
      endAt: toTime(forecast.endAt),
    },
  };
}

/** Everything that is known of a rollout: whoever shows one reads this. */
export function viewOf(story: Story, engine: EngineArguments, around: Around = {}): RolloutView {
  const { record, at, now } = story;
  const { children = [], tracks = [], newer = [] } = around;
  const after = whatCameAfter(record, newer);
  const told: ToldOfView = {
    ...presentOf(story, engine, around),
    holds: toHolds(holdsOn(record, now, around.holds)),
    later: after && { ...toLater(after), message: describeLater(after) },
    next: [...stepsAfter(record, engine ?? '', after)],
  };
  return toRolloutView(record, at, { ...told, children, watching: [...tracks] });
}

function toLater(after: RolloutSummary) {
  const { rolloutId, desiredVersion, revert = null, outcome, startedAt, endedAt } = after;
  return {
    ...{ rolloutId, version: desiredVersion, revert, outcome: outcome?.outcome ?? null },
    ...{ startedAt: toTime(startedAt), endedAt: toTimeOrNull(endedAt) },
  };
}

function describeLater(after: RolloutSummary): string {
  const { runtimeId, rolloutId, outcome, startedAt, endedAt } = after;
  const end =
    outcome === null
      ? `under way since ${dateMinute(startedAt)}`
      : `${nameInWords(outcome)} at ${dateMinute(endedAt ?? startedAt)}`;
  return plainText(
    `Since then ${runtimeId} was rolled to ${describeWanted(after)}: ${end} (${rolloutId}).`,
  );
}

/** The course of a gate in numbers: `alarm errors: yes since 08:10:37Z, no at 40 of 120 looks, the last time at 08:10:07Z`. */
export function describeCourse(course: RolloutView['gates'][number]): string {
  const { gate, isEnforced, answer, since, asked, noes, unanswered, lastNoAt } = course;
  const only = isEnforced ? '' : ' (only watches)';
  const says = { yes: 'yes', no: 'no', none: 'no answer' }[answer];
  const looks = `${asked} ${asked === 1 ? 'look' : 'looks'}`;
  const last = lastNoAt === null ? '' : `, the last time at ${clockTime(Date.parse(lastNoAt))}`;
  const not = [
    ...(noes > 0 ? [`no at ${noes} of ${looks}${last}`] : []),
    ...(unanswered > 0 ? [`no answer at ${unanswered} of ${looks}`] : []),
  ];
  const rest = not.length > 0 ? not : [`asked at ${looks}`];
  return plainText(
    `${gate}${only}: ${[`${says} since ${clockTime(Date.parse(since))}`, ...rest].join(', ')}`,
  );
}

/** Whether a gate has said anything but yes. */
export function isWorthCounting({ noes, unanswered }: RolloutView['gates'][number]): boolean {
  return noes > 0 || unanswered > 0;
}

/** `The next wave begins at 08:46Z, and it ends at about 10:46Z, if rolls take as long as before.` */
export function describeForecast({ waveAt, endAt }: NonNullable<RolloutView['forecast']>): string {
  const wave =
    waveAt === null ? '' : `The next wave begins at about ${dateMinute(Date.parse(waveAt))}. `;
  return `${wave}It ends at about ${dateMinute(Date.parse(endAt))}, if all rolls take as long as those before.`;
}
