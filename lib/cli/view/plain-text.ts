import stringWidth from 'string-width';

const ESCAPES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * How a line begins that a CI runner obeys: `::set-env …` on GitHub, where a line may be broken before any word.
 * `##[…]`, `##vso[…]` and `##teamcity[…]` are found anywhere in a line.
 */
const RUNNER_COMMANDS = /(?<=^|\s):(?=:)|#(?=#\w*\[)/g;

/** Text from the service, without anything that a terminal or a CI runner would obey. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, '\u{FFFD}').replace(RUNNER_COMMANDS, '\u{FFFD}');
}

/** The same for text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

const CHARACTERS = new Intl.Segmenter();

/** Cut to `width` cells of a terminal, with an ellipsis where something is missing. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width < 1) return '';
  let cut = '';
  for (const { segment } of CHARACTERS.segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
