import * as z from 'zod';

/**
 * A text that nothing is wrong with.
 *
 * @param faultOf What is wrong with a text, in words that say what is allowed; `null` when nothing is.
 */
export function textWithout(faultOf: (text: string) => string | null): z.ZodString {
  return z
    .string()
    .max(256)
    .check(({ value, issues }) => {
      const message = faultOf(value);
      if (message !== null) issues.push({ code: 'custom', message, input: value });
    });
}
