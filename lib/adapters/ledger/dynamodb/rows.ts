import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { FIELDS, type Field } from '../../../contract/ledger/fields.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Item } from '../../../ledger/storage.ts';
import { joinParts, packed, partItem, unpack } from './packing.ts';
import type { Row } from './table.ts';

/** Where the record is that the row names. */
export function prefixOf(field: Field, row: Row): string {
  return `${field}#${row[field]}#`;
}

/** These fields of a row. Those that a newer steproll has added are skipped. */
export function toItem(row: Row, fields: readonly Field[], parts: readonly Row[] = []): Item {
  const there = fields.filter((field) => row[field] !== undefined);
  return Object.fromEntries(there.map((field) => [field, toValue(row, field, parts)]));
}

/** The same of an item that people may write past every rule. */
export function toClaim(row: Row, fields: readonly Field[]): Item {
  try {
    return toItem(row, fields);
  } catch {
    return {};
  }
}

/** Of a record in a list. A person may write something that is far larger than its item once it is unpacked. */
const MOST_BYTES = 1_000_000;

export function hasAllParts(row: Row, parts: readonly Row[]): boolean {
  const large = (Object.keys(FIELDS) as Field[]).filter((field) => FIELDS[field].kind === 'large');
  return large.every((field) => {
    const found = parts.filter(({ sk }) => sk.startsWith(prefixOf(field, row)));
    return row[field] === undefined || (found.length > 0 && found.length === found[0]?.parts);
  });
}

function toValue(row: Row, field: Field, parts: readonly Row[]): unknown {
  const { kind } = FIELDS[field];
  const schema: z.ZodType = FIELDS[field].schema;
  const stored = row[field];
  const among = (prefix: string) =>
    parts.filter(({ sk }) => sk.startsWith(prefix)).map((part) => parseStored(partItem, part));
  switch (kind) {
    case 'plain':
    case 'words':
      return parseStored(schema, stored);
    case 'record':
      return unpack(schema, parseStored(packed, stored));
    case 'list':
      return parseStored(z.array(packed), stored).map((one) => unpack(schema, one, MOST_BYTES));
    case 'log':
      return joinParts(schema, among(`${field}#`)).flat();
    case 'large': {
      const [value] = joinParts(schema, among(prefixOf(field, row)));
      if (value !== undefined) return value;
      throw new SteprollError(
        ErrorName.IncompatibleState,
        `a part of the ${field} of ${JSON.stringify(row.pk)} is missing.`,
      );
    }
    default:
      return kind satisfies never;
  }
}
