/** A text as people see it: without what has no shape, with one space for many, and each letter in one form. */
export function asRead(text: string): string {
  // Most names are such, and they are compared very often.
  if (/^[!-~]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}
