import type * as z from 'zod';
import { decodeRecord } from '../../../contract/ledger/envelope.ts';

/**
 * A decoder that decodes no text again that the previous read had at the same place. The plan and the journal of
 * 10,000 endpoints are read at every step of their rollout.
 */
export function rememberDecoded<T>(schema: z.ZodType<T>) {
  let before: readonly { readonly text: string; readonly value: T }[] = [];
  return (texts: readonly string[]): readonly T[] => {
    before = texts.map((text, index) => {
      const known = before[index];
      return known?.text === text ? known : { text, value: decodeRecord(schema, text) };
    });
    return before.map(({ value }) => value);
  };
}
