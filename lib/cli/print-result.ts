import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import type { Output } from './common-options.ts';
import { plainText } from './view/plain-text.ts';
import { type Column, renderTable } from './view/table.ts';

/**
 * A JMESPath query over a command's result, as `--query` takes it; without one, the result as it is.
 *
 * @throws `InvalidInput`, before any call is made.
 */
export function compileQuery(text: string | undefined): (result: unknown) => unknown {
  if (text === undefined) return (result) => result;
  try {
    const query = compile(text);
    return (result) => TreeInterpreter.search(query, result as JSONValue);
  } catch (cause) {
    const message = `--query: ${JSON.stringify(text)} is no JMESPath: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}

/** Prints a result to stdout. A table is cut to the terminal; where it goes to a program, it is whole. */
export function printResult(result: unknown, output: Output): void {
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  for (const line of renderResult(result, output, width)) process.stdout.write(`${line}\n`);
}

/** A result as lines. `id` prints one id a line, and nothing for what has none. */
export function renderResult(result: unknown, output: Output, width: number): string[] {
  switch (output) {
    case 'json':
      return [JSON.stringify(result ?? null, null, 2)];
    case 'id':
      return rowsOf(result).flatMap(idOf);
    case 'table':
      return renderRows(rowsOf(result), width);
    default:
      return output satisfies never;
  }
}

type Row = Readonly<Record<string, unknown>>;

/** A page is its endpoints, a list its elements, anything else one row. */
function rowsOf(result: unknown): readonly unknown[] {
  if (result === null || result === undefined) return [];
  if (Array.isArray(result)) return result;
  return isRow(result) && Array.isArray(result.endpoints) ? result.endpoints : [result];
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(row: unknown): string[] {
  if (typeof row === 'string') return [plainText(row)];
  return isRow(row) && typeof row.id === 'string' ? [plainText(row.id)] : [];
}

function renderRows(rows: readonly unknown[], width: number): string[] {
  if (!rows.every(isRow)) return rows.map(textOf);
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (keys.length === 0) return [];
  const columns = keys.map((key): Column => {
    const isNumber = rows.every((row) => typeof row[key] === 'number' || row[key] === null);
    return { title: key, align: isNumber ? 'right' : 'left' };
  });
  const cells = rows.map((row) => keys.map((key) => textOf(row[key])));
  return renderTable(columns, cells, width);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return plainText(typeof value === 'string' ? value : JSON.stringify(value));
}
