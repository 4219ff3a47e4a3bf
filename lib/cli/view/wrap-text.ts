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
