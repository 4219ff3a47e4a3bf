import { cutTo } from './fit.ts';
import { plainText } from './text.ts';
import { textWidth } from './width.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * A value for people: a list of objects as a table, one object as names and values, and anything else as one line
 * each.
 *
 * @param first Columns of a table that come first, in this order.
 */
export function renderValue(
  value: unknown,
  width: number,
  first: readonly string[] = [],
): string[] {
  if (value === null || value === undefined) return [];
  if (isRow(value)) {
    const rows = Object.entries(value).map(([key, field]) => [plainText(key), textOf(field)]);
    return rows.length === 0
      ? []
      : renderTable([{ title: 'field' }, { title: 'value' }], rows, width);
  }
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every(isRow)
    ? renderRows(values, width, first)
    : values.map(textOf);
}

function renderRows(rows: readonly Row[], width: number, first: readonly string[]): string[] {
  const there = new Set(rows.flatMap((row) => Object.keys(row)));
  const keys = [...new Set([...first.filter((key) => there.has(key)), ...there])];
  const columns = keys.map((key) => ({ key, cells: rows.map((row) => textOf(row[key])) }));
  const shown = fitting(columns, width);
  const titles = shown.map(({ key }): Column => {
    const isNumber = rows.every((row) => typeof row[key] === 'number' || row[key] === null);
    return { title: plainText(key), align: isNumber ? 'right' : 'left' };
  });
  const cells = rows.map((_, index) => shown.map((column) => column.cells[index] ?? ''));
  if (shown.length === keys.length) return renderTable(titles, cells, width);
  return renderTable([...titles, { title: '…' }], cells, width);
}

interface Cells {
  readonly key: string;
  readonly cells: readonly string[];
}

const GAP = 2;
/** These columns stay on every terminal: id and name. */
const FEWEST_COLUMNS = 2;

/** Whole columns are left out, the last ones first, because half of an id or a status is useless. */
function fitting(columns: readonly Cells[], width: number): readonly Cells[] {
  const widthOf = ({ key, cells }: Cells) =>
    Math.max(...[key, ...cells].map((text) => text.length));
  const shown = [...columns];
  const total = () => shown.reduce((sum, column) => sum + widthOf(column) + GAP, 0);
  while (shown.length > FEWEST_COLUMNS && total() > width) shown.pop();
  return shown;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return plainText(typeof value === 'string' ? value : JSON.stringify(value));
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/**
 * Rows under titles, as wide as their text and never wider than `columns`. Text that does not fit is first cut in the
 * widest column.
 */
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
