import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../contract/ledger-record.ts';
import type { Item, Table } from './dynamodb-table.ts';

/** An item may have 400 KB, its keys and names included. */
const PART_BYTES = 350_000;

/** What is stored of a record: gzipped, because ids and states repeat and DynamoDB bills by the kilobyte. */
export function pack(value: unknown): Uint8Array {
  return gzipSync(encodeRecord(value));
}

export function unpack<T>(schema: z.ZodType<T>, packed: Uint8Array): T {
  return decodeRecord(schema, gunzipSync(packed).toString());
}

/** Stores a record of any size as items `<prefix>000`, `<prefix>001`, …; answers how many. */
export async function putParts(
  table: Table,
  pk: string,
  prefix: string,
  value: unknown,
): Promise<number> {
  const packed = pack(value);
  const parts = Math.ceil(packed.length / PART_BYTES);
  await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      table.put({
        pk,
        sk: `${prefix}${String(part).padStart(3, '0')}`,
        parts,
        data: packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
      }),
    ),
  );
  return parts;
}

/**
 * The records whose parts are in `items`, in their order. A record that lacks a part is left out: its
 * `putParts` has not returned, or never did, so nobody has relied on it.
 */
export function joinParts<T>(schema: z.ZodType<T>, items: readonly Item[]): T[] {
  const records = Map.groupBy(items.map(parsePart), ({ sk }) => sk.slice(0, sk.lastIndexOf('#')));
  return [...records.values()]
    .filter((parts) => parts.length === parts[0]?.parts)
    .map((parts) => unpack(schema, Buffer.concat(parts.map(({ data }) => data))));
}

const partItem = z.object({
  sk: z.string(),
  parts: z.number(),
  data: z.instanceof(Uint8Array),
});

function parsePart(item: Item): z.infer<typeof partItem> {
  return parseStored(partItem, item);
}
