import { countOf, describeSeconds } from '../../domain/sentences.ts';
import type { Rehearsal } from '../../rehearsal/rehearse.ts';
import type { Measure, Summary } from '../../rehearsal/summary.ts';
import type { Page } from '../../telling/page.ts';
import { renderTable } from '../../telling/table.ts';
import { plainText } from '../../telling/text.ts';
import { INDENT } from '../../telling/words/story.ts';
import { fleetOf } from './describe-rehearsal.ts';

/** How far many rehearsals are, while they go on. */
export function describeProgress(done: number, of: number): string {
  return `Rehearsed ${count(done)} of ${count(of)}`;
}

interface Named {
  /** The policy, by the name that somebody gave. */
  readonly name: string;
  readonly summary: Summary;
}

interface Context {
  readonly rehearsal: Rehearsal;
  /** The seed of the first rehearsal. */
  readonly seed: number;
  readonly faults: string;
}

/** What became of many rehearsals, for people: one policy, or two side by side. */
export function describeSummaries(
  named: readonly Named[],
  { rehearsal, seed, faults }: Context,
  page: Page,
): string[] {
  const { runtimeId, version } = rehearsal;
  const runs = named[0]?.summary.runs ?? 0;
  const fleet = fleetOf(rehearsal).length;
  const rehearsals = runs === 1 ? '1 rehearsal' : `${count(runs)} rehearsals`;
  const title = `${rehearsals} of ${plainText(runtimeId)} to version ${version} on ${countOf(fleet, 'endpoint')}, with ${faults} faults`;
  return [
    page.style('bold', title),
    runs === 1 ? `Seed ${seed}` : `Seeds ${seed} to ${seed + runs - 1}`,
    '',
    ...tableOf(
      ['Outcome', ...named.map(({ name }) => name)],
      outcomeRows(named.map(({ summary }) => summary)),
      page,
    ),
    '',
    ...tableOf(
      ['', ...named.map(({ name }) => name)],
      ROWS.map(({ title, cell }) => [title, ...named.map(({ summary }) => cell(summary, fleet))]),
      page,
    ),
    ...named.flatMap(({ name, summary }) => [
      '',
      page.style('bold', named.length > 1 ? `The worst, ${name}` : 'The worst'),
      ...tableOf(['', '', 'seed', 'outcome'], worstRows(summary), page),
    ]),
    '',
    'To see one as a story: the same command with its seed, --faults and no --runs.',
  ];
}

function tableOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { columns }: Pick<Page, 'columns'>,
): string[] {
  const table = renderTable(
    titles.map((title) => ({ title })),
    rows,
    columns - INDENT.length,
  );
  const isWithoutTitles = titles.slice(0, 2).every((title) => title === '');
  return table.slice(isWithoutTitles ? 1 : 0).map((line) => INDENT + line);
}

/** Every outcome that any of the policies had. */
function outcomeRows(summaries: readonly Summary[]): string[][] {
  const shares = new Map<string, string[]>();
  for (const [index, { outcomes, runs }] of summaries.entries()) {
    for (const { outcome, reason, cleanup, runs: own } of outcomes) {
      const name = outcomeName(outcome, reason, cleanup);
      const cells = shares.get(name) ?? summaries.map(() => '-');
      cells[index] = `${((100 * own) / runs).toFixed(1)} %`;
      shares.set(name, cells);
    }
  }
  return [...shares].map(([name, cells]) => [name, ...cells]);
}

function outcomeName(outcome: string, reason: string, cleanup: string): string {
  if (outcome === 'Succeeded') return outcome;
  const why = reason === outcome ? '' : ` (${plainText(reason)})`;
  return `${outcome}${why}${cleanup === 'none' ? '' : `, ${cleanup}`}`;
}

interface Row {
  readonly title: string;
  cell(summary: Summary, fleet: number): string;
}

const ROWS: readonly Row[] = [
  { title: 'Takes, in half of them', cell: ({ durations }) => describeSeconds(durations.p50) },
  { title: '  in 95 % of them', cell: ({ durations }) => describeSeconds(durations.p95) },
  { title: '  at most', cell: ({ durations }) => describeSeconds(durations.most) },
  { title: 'Most in mid-roll', cell: ({ inMidRoll }, fleet) => `${inMidRoll.most} of ${fleet}` },
  { title: 'Fewest serving', cell: ({ serving }, fleet) => `${serving.fewest} of ${fleet}` },
  { title: 'Stops endpoints', cell: ({ stopped, runs }) => often(stopped, runs) },
  { title: 'Rolls back', cell: ({ rolledBack, runs }) => often(rolledBack, runs) },
  {
    title: 'A bad version goes live',
    cell: ({ badVersion, runs }) => shareOf(badVersion.runs, runs),
  },
  { title: '  bad for, in half of them', cell: ({ badVersion }) => badFor(badVersion, 'p50') },
  { title: '  bad for at most', cell: ({ badVersion }) => badFor(badVersion, 'most') },
  {
    title: '  seen after, in half of those seen',
    cell: ({ badVersion }) => ifAny(badVersion.seenAfter.p50),
  },
  { title: '  seen after at most', cell: ({ badVersion }) => ifAny(badVersion.seenAfter.most) },
  {
    title: '  sent back after, in 95 % of those sent',
    cell: ({ badVersion }) => ifAny(badVersion.sentBackAfter.p95),
  },
  {
    title: '  sent back after at most',
    cell: ({ badVersion }) => ifAny(badVersion.sentBackAfter.most),
  },
  {
    title: '  live at the end',
    cell: ({ badVersion, runs }) => shareOf(badVersion.liveAtEnd, runs),
  },
  {
    title: '  live though it could be seen',
    cell: ({ badVersion, runs }) => shareOf(badVersion.liveThoughSeen, runs),
  },
  { title: 'Requests, in half of them', cell: ({ requests }) => count(requests.p50) },
  { title: '  at most', cell: ({ requests }) => count(requests.most) },
  { title: 'Transitions on AWS, half', cell: ({ transitions }) => count(transitions.p50) },
  { title: '  at most', cell: ({ transitions }) => count(transitions.most) },
];

function badFor({ runs, ...badVersion }: Summary['badVersion'], which: 'p50' | 'most'): string {
  const seconds = badVersion[which];
  return runs === 0 ? '-' : seconds === null ? 'no end' : describeSeconds(seconds);
}

function ifAny(seconds: number | null): string {
  return seconds === null ? '-' : describeSeconds(seconds);
}

function shareOf(runs: number, of: number): string {
  return runs === 0 ? 'never' : `in ${((100 * runs) / of).toFixed(1)} %`;
}

function often({ runs, most }: { readonly runs: number; readonly most: number }, of: number) {
  return runs === 0 ? 'never' : `${shareOf(runs, of)}, at most ${most}`;
}

const WORDS: Readonly<Record<Measure, readonly [string, (value: number) => string]>> = {
  seconds: ['takes longest', describeSeconds],
  inMidRoll: ['most in mid-roll', count],
  serving: ['fewest serving', count],
  stopped: ['most stopped', count],
  rolledBack: ['most rolled back', count],
  badVersion: ['a version is bad for', describeSeconds],
  sentBackAfter: ['sent back after', describeSeconds],
};

function worstRows({ worst }: Summary): string[][] {
  return worst.map(({ measure, value, seed, outcome, reason, cleanup }) => {
    const [title, told] = WORDS[measure];
    const end = outcomeName(outcome, reason, cleanup);
    return [title, value === null ? 'no end' : told(value), `${seed}`, end];
  });
}

function count(value: number): string {
  return value.toLocaleString('en');
}
