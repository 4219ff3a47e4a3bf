import { describeDuration } from '../../domain/durations.ts';
import { nounOf } from '../../domain/rollout/group.ts';
import type { Outcome, OutcomeKind } from '../../domain/rollout/outcome.ts';
import { nameInWords } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Page } from '../page.ts';
import { summarizeWrites, type WaveWrites } from '../story/wave-writes.ts';
import { type Column, renderTable } from '../table.ts';
import { plainText } from '../text.ts';
import { wrapText } from '../width.ts';
import { reasonInWords } from './fates.ts';

const LOOK: Readonly<Record<OutcomeKind, { sign: string; format: 'green' | 'red' | 'yellow' }>> = {
  Succeeded: { sign: '✔', format: 'green' },
  Failed: { sign: '✘', format: 'red' },
  Errored: { sign: '✘', format: 'red' },
  Refused: { sign: '⚠', format: 'yellow' },
  Superseded: { sign: '⚠', format: 'yellow' },
  Aborted: { sign: '⚠', format: 'yellow' },
};

/** Describes how a rollout ended: the outcome, how long it took, and why. */
export function describeOutcome(outcome: Outcome, elapsedMs: number, page: Page): string[] {
  const { sign, format } = LOOK[outcome.outcome];
  const title = `${sign} ${nameInWords(outcome)} in ${describeDuration(elapsedMs)}`;
  // Only a terminal would break these lines in the middle of a word.
  const width = page.isLive ? page.columns : Number.POSITIVE_INFINITY;
  return [
    ...wrapText(title, width, '  ').map((line) => page.style(format, line)),
    // An error may bring its advice on a line of its own.
    ...outcome.message
      .split('\n')
      .flatMap((line) => wrapText(`  ${plainText(line.trim())}`, width, '  ')),
  ];
}

interface WriteColumn extends Column {
  cell(wave: WaveWrites): string;
}

const COLUMNS: readonly WriteColumn[] = [
  { title: 'Wave', align: 'right', cell: ({ wave }) => `${wave}` },
  { title: 'Endpoints', align: 'right', cell: ({ endpoints }) => `${endpoints}` },
  { title: 'Rolled', align: 'right', cell: ({ rolled }) => `${rolled}` },
  { title: 'Once more', align: 'right', cell: ({ repeated }) => countOf(repeated) },
  { title: 'Back', align: 'right', cell: ({ rolledBack }) => countOf(rolledBack) },
  { title: 'Stopped', align: 'right', cell: ({ stopped }) => countOf(stopped) },
  { title: 'Kept', cell: ({ kept }) => reasonsOf(kept) },
  { title: 'Refused', cell: ({ refused }) => reasonsOf(refused) },
];

/** The writes to the endpoints of each wave, as a table without empty columns. */
export function describeWaveWrites(record: AskedRollout, width: number): string[] {
  const waves = summarizeWrites(record);
  if (waves.every(({ rolled, refused }) => rolled === 0 && refused.size === 0)) return [];
  const columns = COLUMNS.filter(({ cell }) => waves.some((wave) => cell(wave) !== ''));
  const rows = waves.map((wave) => columns.map(({ cell }) => cell(wave)));
  const isOfRuntimes = nounOf(record.request.runtimeId) === 'runtime';
  const titles = columns.map((column) =>
    isOfRuntimes && column.title === 'Endpoints' ? { ...column, title: 'Runtimes' } : column,
  );
  return renderTable(titles, rows, width);
}

function countOf(count: number): string {
  return count === 0 ? '' : `${count}`;
}

function reasonsOf(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .map(([reason, count]) => `${count} (${plainText(reasonInWords(reason))})`)
    .join(', ');
}
