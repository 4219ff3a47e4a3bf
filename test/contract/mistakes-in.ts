import type * as z from 'zod';
import { checkInput } from '../../lib/contract/input/parse-input.ts';

/** What people are told is wrong with a value, a line for each mistake; none where it is allowed. */
export function mistakesIn(schema: z.ZodType<unknown>, value: unknown): string[] {
  const checked = checkInput(schema, value);
  return 'data' in checked ? [] : checked.mistakes.map(({ text }) => text);
}
