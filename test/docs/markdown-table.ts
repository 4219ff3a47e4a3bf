/** A table of GitHub's Markdown. Text between backticks is left as it is. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(escaped))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The pipe ends a cell, even between backticks. */
function escaped(text: string): string {
  const parts = text.replaceAll('\n', ' ').split(/(`[^`]*`)/);
  const plain = (part: string) =>
    part.startsWith('`') ? part : part.replaceAll(/[*_<\\]/g, String.raw`\$&`);
  return parts.map(plain).join('').replaceAll('|', String.raw`\|`);
}
