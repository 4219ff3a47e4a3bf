/**
 * A value as JSON that a terminal can be shown: it parses to the very same value, and what a terminal
 * might obey or hide is written as an escape.
 */
export function jsonText(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null, null, 2));
}

/** The same in one line. */
export function jsonLine(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null));
}

function withEscapes(json: string): string {
  return json.replace(/[\x7f-\x9f\p{Cf}]/gu, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
