import { describeDuration } from '../../domain/durations.ts';
import { clockTime, dateTime, dayOf } from '../../domain/local-time.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import { describeStarter, describeWanted } from '../../domain/rollout/request.ts';
import { nameOf } from '../../domain/sentences.ts';
import type { Page } from '../page.ts';
import { courseOf, WORTH_TELLING_MS } from '../story/course.ts';
import type { Story } from '../story/story.ts';
import { listNames, plainText } from '../text.ts';
import type { RolloutView } from '../view/rollout-view.ts';
import { wrapLines, wrapText } from '../width.ts';
import { drawCourse } from './draw-course.ts';
import { describeFates } from './fates.ts';
import { describeHappening, isEnd } from './happening.ts';
import { describeOutcome, describeWaveWrites } from './outcome.ts';
import { describeState, linesOf } from './phase.ts';
import { describePlanOf } from './plan.ts';
import { describeAnswers } from './policy.ts';
import { describeCourse, describeForecast, isWorthCounting, viewOf } from './view.ts';
import { describeTracks } from './watching.ts';

/**
 * The story of a rollout for people, as wide as the page: who asked for it, what was planned and done, and why.
 *
 * @param view What is known besides its record. @default - nothing
 */
export function describeStory(
  story: Story,
  page: Page,
  { wants, gates, forecast, later, watching }: Shown = viewOf(story, ''),
): string[] {
  const { record, at } = story;
  const { request } = record;
  const what = groupNameOf(request.runtimeId) === null ? 'Endpoints' : 'Runtimes';
  const title = plainText(`${request.runtimeId} to ${describeWanted(request)}`);
  const fates = describeFates(record).map(({ text }) => text);
  return [
    page.style('bold', title),
    ...wrapLines([`Rollout ${plainText(request.rolloutId)}`, ...timesOf(record)], page.columns),
    '',
    ...stateOf(story, page).flatMap((line) => wrapText(line, page.columns, INDENT)),
    ...(forecast === null
      ? []
      : wrapText(INDENT + INDENT + describeForecast(forecast), page.columns, INDENT)),
    ...wrapLines(
      linesOf(wants).map((line) => INDENT + plainText(line)),
      page.columns,
    ).map((line) => page.style('yellow', line)),
    ...(later === null ? [] : wrapText(INDENT + later.message, page.columns, INDENT)),
    ...section('Plan', [...describePlanOf(record), ...previousVersions(record)], page),
    ...courseLines(record, at, page),
    ...section(
      'Gates, in UTC',
      [
        ...describeAnswers(record),
        ...gates.filter(isWorthCounting).map(describeCourse),
        ...describeTracks(watching),
      ],
      page,
    ),
    ...section('What happened, in UTC', happeningLines(story), page),
    ...section('Writes', describeWaveWrites(record, page.columns - INDENT.length), page),
    ...section(record.outcome === null ? `${what} now` : `${what} at its end`, fates, page),
  ];
}

type Shown = Pick<RolloutView, 'wants' | 'gates' | 'forecast' | 'later' | 'watching'>;

export const INDENT = '  ';

/** The lines fit already, and a bar must not be broken. */
export function courseLines(record: AskedRollout, now: number, page: Page): string[] {
  const indented = { ...page, columns: page.columns - INDENT.length };
  const lines = drawCourse(courseOf(record, now), indented);
  if (lines.length === 0) return [];
  return ['', page.style('bold', 'In time'), ...lines.map((line) => INDENT + line)];
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

function stateOf(story: Story, page: Page): string[] {
  const { record, now } = story;
  const { outcome } = record;
  if (outcome !== null) return describeOutcome(outcome, elapsedOf(record, now), page);
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
