import type * as z from 'zod';
import { checkInput } from '../../contract/parse-input.ts';

/** What is wrong with a file. */
export interface FileMistake {
  readonly text: string;
  /** The key that it is about. `null`: nothing is known of what the file says. */
  readonly key: string | null;
}

/**
 * Checks what a file says. What is right in it counts all the same, so that its values are checked
 * too and every mistake is told at once.
 *
 * @param name What the file is called.
 */
export function checkSource<T>(
  schema: z.ZodType<T>,
  value: unknown,
  name: string,
): { readonly values?: T; readonly mistakes: readonly FileMistake[] } {
  const checked = checkInput(schema, value);
  if ('data' in checked) return { values: checked.data, mistakes: [] };
  const wrong = new Set(checked.mistakes.map(({ key }) => key));
  const mistakes = checked.mistakes.map(({ text, key }) => ({
    text: `${name}, ${text}`,
    key: key === '' ? null : key,
  }));
  // Not about one of its keys, but about all of it.
  if (wrong.has('')) return { mistakes };
  const right = Object.entries(value as object).filter(([key]) => !wrong.has(key));
  const rest = checkInput(schema, Object.fromEntries(right));
  return 'data' in rest ? { values: rest.data, mistakes } : { mistakes };
}
