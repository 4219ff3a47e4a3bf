/**
 * A value as JSON that a terminal can be shown: it parses to the very same value, and what a terminal
 * might obey or hide, or a CI runner obey, is written as an escape.
 */
export function jsonText(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null, null, 2));
}

/** The same in one line. */
export function jsonLine(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null));
}

function withEscapes(json: string): string {
  // No line of JSON begins with `::`, but `##[` counts anywhere.
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
