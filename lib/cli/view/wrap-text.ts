import stringWidth from 'string-width';

/**
 * Text in lines of at most `width` cells, broken at spaces; its own indent stays, and lines after the first
 * begin with `hanging`. A word that is longer than a line stays whole: whoever copies an id or a command
 * needs all of it.
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

/** Lines that keep the indent that they have; what does not fit stands below them, further in. */
export function wrapLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => {
    const [indent = ''] = /^ */.exec(line) ?? [];
    const hanging = TIMED.test(line) ? ' '.repeat(indent.length + TIME_WIDTH) : `${indent}  `;
    return wrapText(line, width, hanging);
  });
}

/** A line with a time: what does not fit stands below its text. */
const TIMED = /^ +\d\d:\d\d:\d\dZ {2}/;
const TIME_WIDTH = '00:00:00Z  '.length;
