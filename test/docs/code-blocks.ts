import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The text of a file of the repository. */
export function readDoc(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

/** What stands between fences of this language in a Markdown text, whatever a test is told behind it; `''`: of none. */
export function codeBlocks(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)(?: .+)?\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, name, text = '']) => (name === language ? [text] : []));
}
