import type * as z from 'zod';
import { checkInput, invalidInput } from '../contract/parse-input.ts';
import type { Invocation } from './invocation.ts';

/**
 * Checks the options of a command that has no others than its own.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseOptions<T>(schema: z.ZodType<T>, { given, mistakes }: Invocation): T {
  const checked = checkInput(schema, given);
  if ('data' in checked && mistakes.length === 0) return checked.data;
  const found = 'data' in checked ? [] : checked.mistakes.map(({ text }) => text);
  throw invalidInput('arguments', [...mistakes, ...found]);
}
