import { type Column, GAP, renderTable } from '../../telling/table.ts';
import { jsonText, plainText } from '../../telling/text.ts';
import { cutTo, textWidth, widthOf, wrapText } from '../../telling/width.ts';
import type { Output } from '../options/global-options.ts';
import type { Query } from '../options/global-shape.ts';

export interface HowToPrint {
  readonly '--output': Output;
  readonly '--query'?: Query | undefined;
}

/**
 * Prints a result to stdout, after the query. A table is cut to the width of the terminal; for a program it is whole.
 * If a table is empty, is one page of many, or has no ids, a line on stderr says so.
 */
export function printResult(result: unknown, how: HowToPrint): void {
  const { '--output': output, '--query': query } = how;
  const picked = query === undefined ? result : query(result);
  const lines = renderResult(picked, output, widthOf(process.stdout));
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const note = query === undefined ? noteOnResult(result, output) : noteOnPicked(picked, output);
  if (note !== null) process.stderr.write(`${note}\n`);
}

/** A result as lines. With `id` there is one id per line, and nothing for a value without an id. */
export function renderResult(result: unknown, output: Output, width: number): string[] {
  switch (output) {
    case 'json':
      return jsonText(result).split('\n');
    case 'id':
      return [rowsOf(result)].flat(Number.POSITIVE_INFINITY).flatMap(idOf);
    case 'table':
      return renderValue(rowsOf(result), width, isPage(result) ? COLUMNS : []);
    default:
      return output satisfies never;
  }
}

/** The most important columns come first. The last columns are left out when there is no room. */
const COLUMNS = ['id', 'name', 'status', 'liveVersion', 'targetVersion', 'replicas'];

interface Page {
  readonly endpoints: readonly unknown[];
  readonly page?: number | null;
  readonly totalPages?: number | null;
}

/** The rows of a page are its endpoints. Any other result is shown as it is. */
function rowsOf(result: unknown): unknown {
  return isPage(result) ? result.endpoints : result;
}

/** A rollout has endpoints too, but it has more than those, so it is not a page. */
function isPage(result: unknown): result is Page {
  return isObject(result) && Array.isArray(result.endpoints) && result.rolloutId === undefined;
}

/** A note when nothing in the result of a query could be shown. */
function noteOnPicked(picked: unknown, output: Output): string | null {
  if (output === 'json' || renderResult(picked, output, Number.POSITIVE_INFINITY).length > 0) {
    return null;
  }
  if (output === 'table') return 'Nothing fits the query.';
  return isEmptyList(picked) ? null : 'The query picks nothing that has an id.';
}

function noteOnResult(result: unknown, output: Output): string | null {
  if (output === 'id') {
    const hasNone = renderResult(result, output, Number.POSITIVE_INFINITY).length === 0;
    return hasNone && !isEmptyList(rowsOf(result)) ? 'Nothing in the result has an id.' : null;
  }
  if (output !== 'table' || !isPage(result)) return null;
  const { endpoints, page, totalPages } = result;
  if (page && totalPages && totalPages > 1) {
    const none = endpoints.length === 0 ? 'No endpoints.\n' : '';
    return `${none}Page ${page} of ${totalPages}, --all lists all.`;
  }
  if (endpoints.length > 0) return null;
  return page && page > 1 ? `No endpoints on page ${page}.` : 'No endpoints.';
}

/** The ids of a value, also inside a plan. Plain texts in the result of a query count as ids. */
function idOf(row: unknown): string[] {
  const id = isObject(row) ? (row.id ?? row.rolloutId ?? row.endpointId) : row;
  return typeof id === 'string' || typeof id === 'number' ? [plainText(String(id))] : [];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Prints a result for programs, and for people the lines that tell it. */
export function printTold(result: unknown, lines: readonly string[], how: HowToPrint): void {
  if (isForPeople(how)) process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  else printResult(result, how);
}

/** Whether people read the result as it is printed. Then it is written in sentences. */
export function isForPeople({ '--output': output, '--query': query }: HowToPrint): boolean {
  return output === 'table' && query === undefined;
}

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
  if (isObject(value)) {
    const rows = Object.entries(value).map(([key, field]) => [plainText(key), textOf(field)]);
    return rows.length === 0 ? [] : renderFields(rows, width);
  }
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every(isObject)
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
  // Nothing is left out, so what is too long for a line is cut.
  const parts = others.map(({ key, text }) => {
    return text
      .split(' ')
      .reduce((part, word) => `${part} ${cutTo(word, width - 3)}`, plainText(key));
  });
  return [
    first?.text ?? '',
    ...(parts.length === 0 ? [] : wrapText(INDENT + parts.join(', '), width, INDENT)),
  ];
}

interface Cells {
  readonly key: string;
  readonly cells: readonly string[];
}

const INDENT = '  ';
/** Stands for what is left out. */
const MORE = '…';
const UNLIMITED = Number.POSITIVE_INFINITY;
/** These columns stay on every terminal: id, name and status of an endpoint; id, outcome and runtime of a rollout. */
const FEWEST_COLUMNS = 3;

/** The columns that fit: half of an id is useless, so the last ones are left out. `null`: not even the first ones. */
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

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return plainText(typeof value === 'string' ? value : JSON.stringify(value));
}
