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
