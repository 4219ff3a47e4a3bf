import stringWidth from 'string-width';

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

const CHARACTERS = new Intl.Segmenter();

/** Cuts a text to `width` cells of a terminal, with an ellipsis for the missing part. */
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

const MAX_NAMES = 5;

/** `a, b and 3 more`, without anything that a terminal would obey. */
export function listNames(names: readonly string[], most = MAX_NAMES): string {
  const shown = names.slice(0, most).map(plainText).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/**
 * Text in lines of at most `width` cells, broken at spaces. It keeps its indent, and lines after the first begin with
 * `hanging`. A word that is longer than a line stays whole, because people copy ids and commands.
 */
export function wrapText(text: string, width: number, hanging = ''): string[] {
  const [indent = ''] = /^ */.exec(text) ?? [];
  const [first = '', ...words] = text.slice(indent.length).split(' ');
  const lines: string[] = [];
  let line = indent + first;
  for (const word of words) {
    const longer = `${line} ${word}`;
    if (stringWidth(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = hanging + word;
    }
  }
  return [...lines, line];
}

/** Wraps lines that keep their indent. Text that does not fit goes below them, further in. */
export function wrapLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => {
    const [indent = ''] = /^ */.exec(line) ?? [];
    const hanging = TIMED.test(line) ? ' '.repeat(indent.length + TIME_WIDTH) : `${indent}  `;
    return wrapText(line, width, hanging);
  });
}

/** A line with a time. Text that does not fit goes below the line's text. */
const TIMED = /^ +\d\d:\d\d:\d\dZ {2}/;
const TIME_WIDTH = '00:00:00Z  '.length;
