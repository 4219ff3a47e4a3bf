import type * as z from 'zod';
import { decodeRecord } from '../../contract/ledger-record.ts';

/**
 * A decoder for texts that are never changed once they are stored: those of the read before are not
 * decoded again. A plan and a journal of 10,000 endpoints are read at every step of their rollout.
 */
export function rememberDecoded<T>(
  schema: z.ZodType<T>,
): (texts: readonly string[]) => readonly T[] {
  let before = new Map<string, T>();
  return (texts) => {
    const decoded = texts.map((text) => before.get(text) ?? decodeRecord(schema, text));
    before = new Map(texts.map((text, index) => [text, decoded[index] as T]));
    return decoded;
  };
}
