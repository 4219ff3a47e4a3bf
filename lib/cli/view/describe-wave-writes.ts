import type { AskedRollout } from '../../domain/rollout.ts';
import { summarizeWrites, type WaveWrites } from '../../domain/story/summarize-writes.ts';
import { plainText } from './plain-text.ts';
import { type Column, renderTable } from './table.ts';

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

/** What was written to the endpoints of each wave, as a table without the columns that say nothing. */
export function describeWaveWrites(record: AskedRollout, width: number): string[] {
  const waves = summarizeWrites(record);
  if (waves.every(({ rolled, refused }) => rolled === 0 && refused.size === 0)) return [];
  const columns = COLUMNS.filter(({ cell }) => waves.some((wave) => cell(wave) !== ''));
  const rows = waves.map((wave) => columns.map(({ cell }) => cell(wave)));
  return renderTable(columns, rows, width);
}

function countOf(count: number): string {
  return count === 0 ? '' : `${count}`;
}

function reasonsOf(reasons: ReadonlyMap<string, number>): string {
  return [...reasons].map(([reason, count]) => `${count} ${plainText(reason)}`).join(', ');
}
