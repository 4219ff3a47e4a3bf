/**
 * Puts a generated part between its marks in a text, in place of what stood there.
 *
 * @throws where the marks are not there, each once.
 */
export function replaceMarked(text: string, name: string, part: string): string {
  const [start, end] = marksOf(name);
  const pieces = text.split(start);
  const [before = '', behind = ''] = pieces;
  const [, after, ...more] = behind.split(end);
  if (pieces.length !== 2 || after === undefined || more.length > 0) {
    throw new Error(`The marks of ${name} are not there once: ${start} … ${end}`);
  }
  return `${before}${start}\n\n${part}\n\n${end}${after}`;
}

function marksOf(name: string): readonly [string, string] {
  return [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`];
}
