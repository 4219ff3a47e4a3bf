import type { Output } from '../options/global-options.ts';
import type { Query } from '../options/query.ts';
import { widthOf } from './screen.ts';
import { renderValue } from './table.ts';
import { plainText } from './text.ts';

export interface HowToPrint {
  readonly '--output': Output;
  readonly '--query'?: Query | undefined;
}

/**
 * Prints a result to stdout, after the query. A table is cut to the terminal; where it goes to a
 * program, it is whole. That a table is empty, a page of many, or without ids, is said on stderr.
 */
export function printResult(result: unknown, how: HowToPrint): void {
  const { '--output': output, '--query': query } = how;
  const picked = query === undefined ? result : query(result);
  const lines = renderResult(picked, output, widthOf(process.stdout));
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const note = query === undefined ? noteOnPage(result, output) : noteOnPicked(picked, output);
  if (note !== null) process.stderr.write(`${note}\n`);
}

/** A result as lines. `id` prints one id a line, and nothing for what has none. */
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

/** What matters comes first: the last columns are left out where there is no room. */
const COLUMNS = ['id', 'name', 'status', 'liveVersion', 'targetVersion', 'replicas'];

interface Page {
  readonly endpoints: readonly unknown[];
  readonly page?: number | null;
  readonly totalPages?: number | null;
}

/** A page is its endpoints; anything else is what it is. */
function rowsOf(result: unknown): unknown {
  return isPage(result) ? result.endpoints : result;
}

/** A rollout has endpoints too, and is more than those. */
function isPage(result: unknown): result is Page {
  return isObject(result) && Array.isArray(result.endpoints) && result.rolloutId === undefined;
}

/** Where nothing of what a query picked could be shown. */
function noteOnPicked(picked: unknown, output: Output): string | null {
  if (output === 'json' || renderResult(picked, output, Number.POSITIVE_INFINITY).length > 0) {
    return null;
  }
  if (output === 'table') return 'Nothing fits the query.';
  const isEmptyList = Array.isArray(picked) && picked.length === 0;
  return isEmptyList ? null : 'The query picks nothing that has an id.';
}

function noteOnPage(result: unknown, output: Output): string | null {
  if (output !== 'table' || !isPage(result)) return null;
  const { endpoints, page, totalPages } = result;
  if (page && totalPages && totalPages > 1)
    return `Page ${page} of ${totalPages}, --all lists all.`;
  if (endpoints.length > 0) return null;
  return page && page > 1 ? `No endpoints on page ${page}.` : 'No endpoints.';
}

/** Of an endpoint or a rollout its id, also as a part of a plan; what a query picked is taken as ids. */
function idOf(row: unknown): string[] {
  const id = isObject(row) ? (row.id ?? row.rolloutId ?? row.endpointId) : row;
  return typeof id === 'string' || typeof id === 'number' ? [plainText(String(id))] : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a result is read as it is printed: then it is told in sentences. */
export function isForPeople({ '--output': output, '--query': query }: HowToPrint): boolean {
  return output === 'table' && query === undefined;
}

/**
 * A value as JSON that a terminal can be shown: it parses to the very same value, and what a terminal
 * might obey or hide, or a CI runner obey, is written as an escape.
 */
export function jsonText(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null, null, 2));
}

/** The same in one line. */
export function jsonLine(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null));
}

function withEscapes(json: string): string {
  // No line of JSON begins with `::`, but `##[` counts anywhere.
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
