const ESCAPES = /[\p{Cc}\p{Cf}]/gu;

/** Text from the service, without anything that a terminal would obey. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, '\u{FFFD}');
}

/** The same for text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

/** Cut to `width` characters, with an ellipsis where something is missing. */
export function cutTo(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return width < 1 ? '' : `${characters.slice(0, width - 1).join('')}…`;
}
