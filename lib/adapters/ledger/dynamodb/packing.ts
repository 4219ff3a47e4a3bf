import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { decodeRecord, encodeRecord } from '../../../contract/ledger/envelope.ts';

/** The stored form of a record. It is gzipped, because ids and states repeat and DynamoDB charges by the kilobyte. */
export function pack(value: unknown): Uint8Array {
  return gzipSync(encodeRecord(value));
}

/** @param most So many bytes the record may have. @default - any number */
export function unpack<T>(schema: z.ZodType<T>, packed: Uint8Array, most?: number): T {
  const limit = most !== undefined && { maxOutputLength: most };
  return decodeRecord(schema, gunzipSync(packed, { ...limit }).toString());
}

export const packed: z.ZodType<Uint8Array> = z.instanceof(Uint8Array);

/** A part of a record, or the whole of one. */
export const partItem = z.object({ sk: z.string(), parts: z.number(), data: packed });
type Part = z.infer<typeof partItem>;

/** An item may have 400 KB, including its keys and names. */
const PART_BYTES = 350_000;

/** A record of any size as items `<prefix>000`, `<prefix>001`, … */
export function partsOf(prefix: string, value: unknown): readonly Part[] {
  const data = pack(value);
  const parts = Math.ceil(data.length / PART_BYTES);
  return Array.from({ length: parts }, (_, part) => ({
    sk: `${prefix}${String(part).padStart(3, '0')}`,
    parts,
    data: data.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  }));
}

/** The records of these parts, in order. One that lacks a part is left out: nobody has had an answer for it. */
export function joinParts<T>(schema: z.ZodType<T>, parts: readonly Part[]): T[] {
  const records = Map.groupBy(parts, ({ sk }) => sk.slice(0, sk.lastIndexOf('#')));
  return [...records.values()]
    .filter((of) => of.length === of[0]?.parts)
    .map((of) => unpack(schema, Buffer.concat(of.map(({ data }) => data))));
}
