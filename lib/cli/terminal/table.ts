import { plainText } from './text.ts';
import { cutTo, textWidth, wrapText } from './width.ts';

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
    return rows.length === 0 ? [] : renderFields(rows, width);
  }
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every(isRow)
    ? renderRows(values, width, first)
    : values.map(textOf);
}

/** A value that does not fit beside its name goes below it: half of an id is useless. */
function renderFields(rows: readonly (readonly string[])[], width: number): string[] {
  const [head = '', ...table] = renderTable(
    [{ title: 'field' }, { title: 'value' }],
    rows,
    UNLIMITED,
  );
  const lines = table.flatMap((line, index) => {
    if (textWidth(line) <= width) return [line];
    const [key = '', value = ''] = rows[index] ?? [];
    return [key, ...wrapText(INDENT + value, width, INDENT)];
  });
  return [head, ...lines];
}

function renderRows(rows: readonly Row[], width: number, first: readonly string[]): string[] {
  const there = new Set(rows.flatMap((row) => Object.keys(row)));
  const keys = [...new Set([...first.filter((key) => there.has(key)), ...there])];
  const columns = keys.map((key) => ({ key, cells: rows.map((row) => textOf(row[key])) }));
  const shown = fitting(columns, width);
  if (shown === null) return rows.flatMap((_, index) => renderBlock(columns, index, width));
  const titles = shown.map(({ key }): Column => {
    const isNumber = rows.every((row) => typeof row[key] === 'number' || row[key] === null);
    return { title: plainText(key), align: isNumber ? 'right' : 'left' };
  });
  const cells = rows.map((_, index) => shown.map((column) => column.cells[index] ?? ''));
  const [head = '', ...lines] = renderTable(titles, cells, UNLIMITED);
  return [shown.length === keys.length ? head : `${head} ${MORE}`, ...lines];
}

/** A row where its first columns do not fit side by side: the first value, and below it the others with their names. */
function renderBlock(columns: readonly Cells[], index: number, width: number): string[] {
  const [first, ...others] = columns.map(({ key, cells }) => ({ key, text: cells[index] ?? '' }));
  const isShort = (part: string) => part.split(' ').every((word) => textWidth(word) <= width - 3);
  const parts = others.map(({ key, text }) => `${plainText(key)} ${text}`);
  const shown = parts.filter(isShort);
  const all = shown.length < parts.length ? [...shown, MORE] : shown;
  return [
    first?.text ?? '',
    ...(all.length === 0 ? [] : wrapText(INDENT + all.join(', '), width, INDENT)),
  ];
}

interface Cells {
  readonly key: string;
  readonly cells: readonly string[];
}

const GAP = 2;
const INDENT = '  ';
/** Stands for what is left out. */
const MORE = '…';
const UNLIMITED = Number.POSITIVE_INFINITY;
/** These columns stay on every terminal: id, name and status of an endpoint; id, outcome and runtime of a rollout. */
const FEWEST_COLUMNS = 3;

/**
 * The columns that fit. Whole columns are left out, the last ones first, because half of an id or a status is useless.
 * `null`: not even the first ones fit.
 */
function fitting(columns: readonly Cells[], width: number): readonly Cells[] | null {
  const widths = columns.map(({ key, cells }) => Math.max(...[key, ...cells].map(textWidth)));
  for (let count = columns.length; count > 0; count -= 1) {
    const more = count < columns.length ? ` ${MORE}`.length : 0;
    const total = widths.slice(0, count).reduce((sum, one) => sum + one + GAP, more - GAP);
    if (total <= width) return columns.slice(0, count);
    if (count <= FEWEST_COLUMNS) break;
  }
  return null;
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
