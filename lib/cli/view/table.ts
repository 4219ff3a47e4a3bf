import stringWidth from 'string-width';
import { cutTo } from './plain-text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = 2;

/**
 * Rows under titles, as wide as their text and never wider than `columns`: what does not fit is
 * taken from the widest column first.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): string[] {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  shrink(widths, maxWidth - GAP * (columns.length - 1));
  return cells.map((row) =>
    columns
      .map(({ align }, index) =>
        pad(cutTo(row[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, align),
      )
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

function shrink(widths: number[], room: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, 0);
  while (total() > room && Math.max(...widths) > 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
}

function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return align === 'right' ? space + text : text + space;
}
