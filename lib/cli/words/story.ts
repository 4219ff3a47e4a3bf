import type { RolloutView } from '../../contract/output/rollout-view.ts';
import { describeDuration } from '../../domain/durations.ts';
import { describeStarter } from '../../domain/events/event-sentences.ts';
import { clockTime, dateTime, dayOf } from '../../domain/local-time.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { nameOf } from '../../domain/sentences.ts';
import { courseOf, WORTH_TELLING_MS } from '../../domain/story/course.ts';
import type { Story } from '../../domain/story/story.ts';
import type { Screen } from '../terminal/screen.ts';
import { listNames, plainText } from '../terminal/text.ts';
import { wrapLines, wrapText } from '../terminal/width.ts';
import { drawCourse } from './draw-course.ts';
import { describeFates } from './fates.ts';
import { describeHappening, isEnd } from './happening.ts';
import { describeOutcome, describeWaveWrites } from './outcome.ts';
import { describeState, linesOf } from './phase.ts';
import { describePlanOf } from './plan.ts';
import { describeAnswers } from './policy.ts';
import { describeCourse, describeForecast, isWorthCounting, viewOf } from './view.ts';
import { describeTracks } from './watching.ts';

export type Page = Pick<Screen, 'columns' | 'style'>;

/**
 * The story of a rollout for people, as wide as the screen: who asked for it, what was planned and done, and why.
 *
 * @param view What is known besides its record. @default - nothing
 */
export function describeStory(
  story: Story,
  screen: Screen,
  { wants, gates, forecast, later, watching }: Shown = viewOf(story, ''),
): string[] {
  const { record, at } = story;
  const { request } = record;
  const what = groupNameOf(request.runtimeId) === null ? 'Endpoints' : 'Runtimes';
  const title = plainText(`${request.runtimeId} to ${describeWanted(request)}`);
  const fates = describeFates(record).map(({ text }) => text);
  return [
    screen.style('bold', title),
    ...wrapLines([`Rollout ${plainText(request.rolloutId)}`, ...timesOf(record)], screen.columns),
    '',
    ...stateOf(story, screen).flatMap((line) => wrapText(line, screen.columns, INDENT)),
    ...(forecast === null
      ? []
      : wrapText(INDENT + INDENT + describeForecast(forecast), screen.columns, INDENT)),
    ...wrapLines(
      linesOf(wants).map((line) => INDENT + plainText(line)),
      screen.columns,
    ).map((line) => screen.style('yellow', line)),
    ...(later === null ? [] : wrapText(INDENT + later.message, screen.columns, INDENT)),
    ...section('Plan', [...describePlanOf(record), ...previousVersions(record)], screen),
    ...courseLines(record, at, screen),
    ...section(
      'Gates, in UTC',
      [
        ...describeAnswers(record),
        ...gates.filter(isWorthCounting).map(describeCourse),
        ...describeTracks(watching),
      ],
      screen,
    ),
    ...section('What happened, in UTC', happeningLines(story), screen),
    ...section('Writes', describeWaveWrites(record, screen.columns - INDENT.length), screen),
    ...section(record.outcome === null ? `${what} now` : `${what} at its end`, fates, screen),
  ];
}

type Shown = Pick<RolloutView, 'wants' | 'gates' | 'forecast' | 'later' | 'watching'>;

export const INDENT = '  ';

/** The lines fit already, and a bar must not be broken. */
export function courseLines(record: AskedRollout, now: number, screen: Page): string[] {
  const page = { ...screen, columns: screen.columns - INDENT.length };
  const lines = drawCourse(courseOf(record, now), page);
  if (lines.length === 0) return [];
  return ['', screen.style('bold', 'In time'), ...lines.map((line) => INDENT + line)];
}

export function section(title: string, lines: readonly string[], page: Page): string[] {
  if (lines.length === 0) return [];
  const indented = lines.map((line) => INDENT + line);
  return ['', page.style('bold', title), ...wrapLines(indented, page.columns)];
}

function timesOf({ request, startedAt, endedAt }: AskedRollout): string[] {
  const { startedBy, parent, group } = request;
  const ofGroup = group === undefined ? '' : ` of the group ${group}`;
  const why = startedBy.reason === undefined ? '' : `: ${startedBy.reason}`;
  const waitedMs = startedAt - startedBy.at;
  return [
    plainText(`Started by ${describeStarter(startedBy)}, ${dateTime(startedBy.at)}${why}`),
    ...(parent === undefined ? [] : [plainText(`Of the rollout ${parent}${ofGroup}`)]),
    ...(waitedMs >= WORTH_TELLING_MS ? [`Waited ${describeDuration(waitedMs)} for its turn`] : []),
    ...(endedAt === null ? [] : [`Ended ${dateTime(endedAt)}`]),
  ];
}

function stateOf(story: Story, screen: Screen): string[] {
  const { record, now } = story;
  const { outcome } = record;
  if (outcome !== null) return describeOutcome(outcome, elapsedOf(record, now), screen);
  const since = describeDuration(elapsedOf(record, now));
  // Its process may be dead, so this is all that is certain.
  const what = record.opening === null ? `Begun ${since} ago` : `Waiting for ${since}`;
  return [`● ${what}`, `  ${describeState(story)}`];
}

/** The versions before the rollout, the most frequent one first. */
function previousVersions({ plan }: AskedRollout): string[] {
  return [...Map.groupBy(plan?.endpoints ?? [], (one) => one.previousVersion ?? 'not known')]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([version, own]) => {
      return `  Version before ${version}: ${own.length} (${listNames(own.map(nameOf))})`;
    });
}

/** The day stands above its first line. */
function happeningLines({ record, happenings }: Story): string[] {
  let day = dayOf(record.startedAt);
  return happenings.flatMap((happening) => {
    // The story shows the end at its top.
    const text = isEnd(happening)
      ? `Ended as ${record.outcome?.outcome}.`
      : describeHappening(happening);
    const line = `${clockTime(happening.at)}  ${text}`;
    const own = dayOf(happening.at);
    const isNewDay = own !== day;
    day = own;
    return isNewDay ? [own, line] : [line];
  });
}
