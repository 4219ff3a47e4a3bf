import type { Output } from '../options/global-options.ts';
import type { Query } from '../options/query.ts';
import { renderValue } from './table.ts';
import { plainText } from './text.ts';
import { widthOf } from './width.ts';

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

/**
 * The ids of a value. An endpoint or a rollout has its id, also inside a plan. Plain texts in the result of a query
 * count as ids.
 */
function idOf(row: unknown): string[] {
  const id = isObject(row) ? (row.id ?? row.rolloutId ?? row.endpointId) : row;
  return typeof id === 'string' || typeof id === 'number' ? [plainText(String(id))] : [];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether people read the result as it is printed. Then it is written in sentences. */
export function isForPeople({ '--output': output, '--query': query }: HowToPrint): boolean {
  return output === 'table' && query === undefined;
}

/**
 * A value as JSON that is safe to show: it parses to exactly the same value. Characters that a terminal might obey or
 * hide, or that a CI runner would obey, are escaped.
 */
export function jsonText(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null, null, 2));
}

/** The same JSON in one line. */
export function jsonLine(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null));
}

function withEscapes(json: string): string {
  // No line of JSON begins with `::`, but `##[` has an effect anywhere in a line.
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
