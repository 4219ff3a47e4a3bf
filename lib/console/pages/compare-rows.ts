import { describeDuration } from '../../domain/durations.ts';
import { dateTime } from '../../domain/local-time.ts';
import { countOf } from '../../domain/sentences.ts';
import { plainText } from '../../telling/text.ts';
import { titleOfStage, wordsOfStage } from '../../telling/words/draw-course.ts';
import type { ToldRollout } from '../desk.ts';
import { starterOf } from './names.ts';

/** One thing of two rollouts, in words. `''`: there is nothing to say of it. */
export interface ComparedRow {
  readonly title: string;
  readonly one: string;
  readonly other: string;
}

/** What two rollouts have in common and what not: in the order in which it happens, the end before the waves. */
export function compareRows(one: ToldRollout, other: ToldRollout): readonly ComparedRow[] {
  const [left, right] = [factsOf(one), factsOf(other)];
  const titles = orderOf([...left.keys()], [...right.keys()]);
  return titles.map((title) => ({
    title,
    one: left.get(title) ?? '',
    other: right.get(title) ?? '',
  }));
}

/** What only one of them has stands behind what stands before it there. */
function orderOf(left: readonly string[], right: readonly string[]): readonly string[] {
  const titles = [...left];
  right.forEach((title, place) => {
    if (titles.includes(title)) return;
    const before = right.slice(0, place).findLast((known) => titles.includes(known));
    titles.splice(before === undefined ? 0 : titles.indexOf(before) + 1, 0, title);
  });
  return titles;
}

function factsOf(story: ToldRollout): ReadonlyMap<string, string> {
  const { report, state, course, fates, gates, plan } = story;
  const { startedAt, seconds, endpoints, waves, holds } = report;
  const before = [...new Set(endpoints.map(({ previousVersion }) => previousVersion ?? 'none'))];
  const [verdict = '', ...why] = state.map(plainText);
  const facts: (readonly [string, string])[] = [
    ['Version', `${report.version ?? 'own ones'}`],
    ['Before', before.toSorted().join(', ')],
    ['Started', `${dateTime(Date.parse(startedAt))} by ${starterOf(report)}`],
    [report.outcome === null ? 'Now' : 'End', verdict],
    ['Why', why.map((line) => line.trim()).join(' ')],
    ['Took', seconds === null ? '' : describeDuration(seconds * 1000)],
    ['Endpoints', fates.map(({ text }) => text).join('; ')],
    ...course.stages.map((stage) => [titleOfStage(stage), wordsOfStage(stage)] as const),
    ...waves.map((wave) => [`Wave ${wave.wave} wrote`, wroteIn(wave)] as const),
    ...report.gates.map(
      ({ gate }, place) => [`Gate ${plainText(gate)}`, saysOf(gates[place], gate)] as const,
    ),
    ['Held', holds.map(({ holdKind, reason }) => plainText(`${holdKind}: ${reason}`)).join('; ')],
    ['Plan', plan.join(' ')],
  ];
  return new Map(facts.filter(([, text]) => text !== ''));
}

/** Without the name of the gate, which stands beside it. */
function saysOf(told: ToldRollout['gates'][number] | undefined, gate: string): string {
  return told?.says.replace(`${plainText(gate)}: `, '') ?? '';
}

function wroteIn(wave: ToldRollout['report']['waves'][number]): string {
  const sum = (reasons: Readonly<Record<string, number>>) =>
    Object.values(reasons).reduce((all, one) => all + one, 0);
  const counts = [
    [wave.rolled, 'rolled'],
    [sum(wave.refused), 'refused'],
    [wave.rolledBack, 'rolled back'],
    [wave.stopped, 'stopped'],
    [sum(wave.kept), 'kept'],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [countOf(wave.endpoints, 'endpoint'), ...told].join(', ');
}
