import { cutTo, textWidth } from './width.ts';

/** Cells between two columns. */
export const GAP = 2;

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows under titles, never wider than `columns`. Text that does not fit is first cut in the widest column. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): string[] {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => textWidth(row[index] ?? ''))),
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
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? space + text : text + space;
}
