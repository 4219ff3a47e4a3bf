import { dayOf } from '../domain/local-time.ts';

const ESCAPES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Matches text that a CI runner obeys. `::set-env …` on GitHub is at the beginning of a line, and a line may be
 * broken before any word. `##[…]`, `##vso[…]` and `##teamcity[…]` have an effect anywhere in a line.
 */
const RUNNER_COMMANDS = /(?<=^|\s):(?=:)|#(?=#\w*\[)/g;

/** Text from the service, without anything that a terminal or a CI runner would obey. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, '\u{FFFD}').replace(RUNNER_COMMANDS, '\u{FFFD}');
}

/** Does the same for text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

const MAX_NAMES = 5;

/** `a, b and 3 more`, without anything that a terminal would obey. */
export function listNames(names: readonly string[], most = MAX_NAMES): string {
  const shown = names.slice(0, most).map(plainText).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A past time, seen from now: `12 s ago`, `3 h ago`, and later the day: `2026-01-31 UTC`. */
export function describeAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < MINUTE_MS) return `${Math.round(age / 1000)} s ago`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  return `${dayOf(at)} UTC`;
}

/**
 * A value as JSON that is safe to show: it parses to exactly the same value. Characters that a terminal might obey or
 * hide, or that a CI runner would obey, are escaped.
 */
export function jsonText(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null, null, 2));
}

/** The same JSON in one line. */
export function jsonLine(value: unknown): string {
  return withEscapes(JSON.stringify(value ?? null));
}

function withEscapes(json: string): string {
  // No line of JSON begins with `::`, but `##[` has an effect anywhere in a line.
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
