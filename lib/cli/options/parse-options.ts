import type * as z from 'zod';
import { checkInput, invalidInput } from '../../contract/parse-input.ts';
import type { Invocation } from '../invocation.ts';

/**
 * Checks the options of a command that has no others than its own.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseOptions<T>(schema: z.ZodType<T>, { given, mistakes }: Invocation): T {
  const textOf = (name: string) => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  const checked = checkInput(schema, given, (name) => name, textOf);
  if ('data' in checked && mistakes.length === 0) return checked.data;
  const found = 'data' in checked ? [] : checked.mistakes.map(({ text }) => text);
  throw invalidInput('arguments', [...mistakes, ...found]);
}
