import { type Decoded, decodeEscapes } from './decode-escapes.ts';

const HIDDEN = '[hidden]';

/**
 * The text without the secrets, in whatever spelling they stand in it: as they are, in base64, and
 * escaped for a URL, for JSON or for HTML, also more than once.
 *
 * The text is decoded as often as it goes, secrets are looked for in what comes out, and hidden where
 * they stood. That takes time in proportion to the text, however long the secrets are.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) {
    return text;
  }
  const decoded = decodeEscapes(text);
  const ranges = forms.flatMap((form) => [
    ...rangesOf(form, text),
    ...rangesOf(comparable(decodeEscapes(form)), comparable(decoded)).map(
      ([start, end]): Range => [decoded.positions[start] ?? 0, decoded.positions[end] ?? 0],
    ),
  ]);
  return hideRanges(text, ranges);
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, base64, base64.replace(/=+$/, ''), Buffer.from(secret).toString('base64url')];
}

/** A form writes a space as a plus. */
function comparable({ text }: Decoded): string {
  return text.replaceAll('+', ' ');
}

/** From a start to an end that is no part of it. */
type Range = readonly [start: number, end: number];

function rangesOf(part: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    ranges.push([at, at + part.length]);
  }
  return ranges;
}

function hideRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let shown = 0;
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (start >= shown) {
      parts.push(text.slice(shown, start), HIDDEN);
    }
    shown = Math.max(shown, end);
  }
  return [...parts, text.slice(shown)].join('');
}
