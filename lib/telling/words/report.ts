import { toTime } from '../../contract/event.ts';
import type { Instant } from '../../domain/clock.ts';
import { describeDuration } from '../../domain/durations.ts';
import { endOf, type Hold } from '../../domain/holds/hold.ts';
import { clockTime, dateMinute, dayOf } from '../../domain/local-time.ts';
import { nameInWords, type OutcomeKind } from '../../domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { describeStarter } from '../../domain/rollout/request.ts';
import { asSentence } from '../../domain/sentences.ts';
import type { Story } from '../story/story.ts';
import { plainText } from '../text.ts';
import { type ListedRollout, toListedRollout } from '../view/listed.ts';
import { type ShownHold, toShownHold } from '../view/shown-hold.ts';
import { nameOfRollout } from './name.ts';
import { describeStage } from './phase.ts';
import type { EngineArguments } from './stuck.ts';
import { describeForecast, type Present, presentOf } from './view.ts';

/** What happened since a time, and what is under way: what one shift hands over to the next. */
export interface Report {
  readonly since: string;
  readonly until: string;
  /** Whether all that ended since then is in it: only so many of the newest rollouts are looked through. */
  readonly isWhole: boolean;
  /** What ended since then, the last end first. */
  readonly ended: readonly ListedRollout[];
  readonly open: readonly OpenInReport[];
  /** The holds that were in force at any time since then, as far as they are stored. */
  readonly holds: readonly ShownHold[];
}

interface OpenInReport
  extends ListedRollout,
    Pick<Present, 'state' | 'stuck' | 'wants' | 'forecast'> {
  /** What it does, without countdowns, which would be over when somebody reads them. */
  readonly stage: string;
}

interface Known {
  readonly since: Instant;
  readonly now: Instant;
  /** The newest rollouts. */
  readonly newest: readonly RolloutSummary[];
  /** Whether there are older ones. */
  readonly isCut: boolean;
  readonly open: readonly Story[];
  readonly holds: readonly Hold[];
}

/** @param engine The arguments with which its reader's commands find the engine. */
export function reportOf(known: Known, engine: EngineArguments): Report {
  const { since, now, newest, isCut, open, holds } = known;
  const oldest = newest.at(-1);
  return {
    since: toTime(since),
    until: toTime(now),
    isWhole: !isCut || oldest === undefined || oldest.startedAt < since,
    ended: newest
      .filter(({ outcome, endedAt }) => outcome !== null && (endedAt ?? 0) >= since)
      .toSorted((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
      .map(toListedRollout),
    open: open.map((story) => {
      const { request, startedAt, wait, endedAt, outcome } = story.record;
      const { state, stuck, wants, forecast } = presentOf(story, engine, { holds });
      return {
        ...toListedRollout({ ...request, ...{ startedAt, wait, endedAt, outcome } }),
        ...{ stage: describeStage(story), state, stuck, wants, forecast },
      };
    }),
    holds: holds
      .filter((hold) => {
        return hold.at <= now && Math.min(endOf(hold), hold.lifted?.at ?? endOf(hold)) >= since;
      })
      .map(toShownHold),
  };
}

/** The outcomes in the order in which somebody wants to read of them. */
const WORST_FIRST: readonly OutcomeKind[] = [
  'Failed',
  'Errored',
  'Aborted',
  'Superseded',
  'Refused',
  'Succeeded',
];

/** A report in words. */
export interface ToldReport {
  /** How much there is, and what it may lack. */
  readonly summary: readonly string[];
  /** What needs somebody first, what went well last. None is empty. */
  readonly sections: readonly { readonly title: string; readonly lines: readonly ReportLine[] }[];
}

interface ReportLine {
  /** What stands before the name: `22:14:03Z `, or nothing. */
  readonly before: string;
  readonly name: string;
  readonly rest: string;
  /** The rollout that it is about. `null`: it is about a hold. */
  readonly rolloutId: string | null;
}

export function tellReport(report: Report): ToldReport {
  const { since, until, isWhole, ended, open, holds } = report;
  const ids = new Set([...ended, ...open].map(({ rolloutId }) => rolloutId));
  // What went well in a group stands in the line of the group.
  const told = ended.filter(
    ({ outcome, parent }) => outcome !== 'Succeeded' || !ids.has(parent ?? ''),
  );
  const of = (kind: OutcomeKind) => told.filter(({ outcome }) => outcome === kind);
  const isWanting = ({ wants }: Report['open'][number]) =>
    wants.some(({ kind }) => kind !== 'news');
  const onDay = dayOf(Date.parse(until));
  const at = (time: string) => timeOf(Date.parse(time), onDay);
  const openLines = (all: Report['open']) => all.map((one) => lineOf(one, '', describeOpen(one)));
  const sections = [
    { title: 'Wants somebody', lines: openLines(open.filter(isWanting)) },
    { title: 'Under way', lines: openLines(open.filter((one) => !isWanting(one))) },
    {
      title: 'Held',
      lines: holds.map((hold) => ({
        ...{ before: '', name: plainText(`${hold.kind} of ${hold.scope}`), rolloutId: null },
        rest: describeHeld(hold, at),
      })),
    },
    ...WORST_FIRST.map((title) => ({
      title,
      lines: of(title).map((one) =>
        lineOf(one, `${at(one.endedAt ?? one.startedAt)} `, describeEnded(one)),
      ),
    })),
  ];
  const counts = [
    ...WORST_FIRST.map((kind) => [of(kind).length, kind.toLowerCase()] as const),
    [open.length, 'under way'] as const,
  ].filter(([count]) => count > 0);
  const sum = counts.map(([count, words]) => `${count} ${words}`).join(', ');
  return {
    summary: [
      `Since ${dateMinute(Date.parse(since))}, as of ${dateMinute(Date.parse(until))}: ${sum || 'no rollout'}.`,
      ...(isWhole ? [] : ['Only the newest rollouts were looked through: more may have ended.']),
    ],
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

/** The report as lines to paste into a chat or a ticket. */
export function describeReport({ summary, sections }: ToldReport): string[] {
  return [
    ...summary,
    ...sections.flatMap(({ title, lines }) => [
      '',
      `${title}:`,
      ...lines.map(({ before, name, rest }) => `- ${before}${name} ${rest}`),
    ]),
  ];
}

/** `22:14:03Z`, on another day with the day. */
function timeOf(at: Instant, onDay: string): string {
  return dayOf(at) === onDay ? clockTime(at) : `${dayOf(at)} ${clockTime(at)}`;
}

function lineOf(one: ListedRollout, before: string, rest: string): ReportLine {
  const { rolloutId } = one;
  return {
    ...{ before, name: nameOfRollout(one), rolloutId },
    rest: plainText(`(${rolloutId})${rest}`),
  };
}

function describeOpen({ stage, wants, forecast }: Report['open'][number]): string {
  const ahead = forecast === null ? [] : [describeForecast(forecast)];
  // What holds a rollout that has not begun is its stage, and what it wants.
  const said = new Set([asSentence(stage), ...wants.map((want) => want.says), ...ahead]);
  return `: ${[...said].join(' ')}`;
}

function describeEnded(one: ListedRollout): string {
  const { seconds, outcome, message, startedBy } = one;
  const who = `by ${describeStarter(startedBy)}`;
  if (outcome !== 'Succeeded') return `, ${who}: ${wordOf(one)}${message ?? ''}`;
  const took = seconds === null ? '' : `, took ${describeDuration(seconds * 1000)}`;
  return `${took}, ${who}`;
}

/** The kind of a failure. Of other ends the title says all. */
function wordOf({ outcome, failure, reason }: ListedRollout): string {
  if (outcome === null || failure === null) return '';
  return `${nameInWords({ outcome, failure, reason: reason ?? '' })}. `;
}

function describeHeld(hold: ShownHold, at: (time: string) => string): string {
  const { id, by, reason, until, lifted } = hold;
  const end =
    lifted === null
      ? until === null
        ? 'until it is lifted'
        : `until ${dateMinute(Date.parse(until))}`
      : `lifted at ${at(lifted.at)} by ${lifted.by}: ${lifted.reason}`;
  return plainText(`(${id}), from ${at(hold.at)} by ${by}: ${reason}; ${end}`);
}
