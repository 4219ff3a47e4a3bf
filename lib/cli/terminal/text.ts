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
  return `${new Date(at).toISOString().slice(0, 10)} UTC`;
}

// Times are in UTC, as in all other logs, because readers may be anywhere.

/** The time of day: `12:03:07Z`. The argument is milliseconds since the Unix epoch. */
export function clockTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(11, 19)}Z`;
}

/** Day and time: `2026-01-31 12:03:07Z`. */
export function dateTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 10)} ${clockTime(milliseconds)}`;
}
