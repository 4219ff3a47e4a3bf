import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readDoc } from '../code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Sections that are followed, of pages that are there to look things up in. */
const SECTIONS: readonly (readonly [page: string, heading: string])[] = [
  ['docs/groups.md', 'Release many runtimes'],
  ['docs/holds.md', 'Stop the line'],
  ['docs/notifications.md', 'Tell a chat'],
  ['docs/rehearsal.md', 'See what a policy does'],
];

/** What readers follow from the first line to the last: whole pages, and sections. */
export const FOLLOWED: readonly (readonly [name: string, text: string])[] = [
  ...globSync('docs/{tutorials,how-to}/*.md', { cwd: ROOT })
    .toSorted()
    .map((page) => [page, readDoc(page)] as const),
  ...SECTIONS.map(([page, heading]) => [`${page}: ${heading}`, section(page, heading)] as const),
];

/** A page without the sections that are followed. */
export function readUnfollowed(page: string): string {
  return SECTIONS.filter(([one]) => one === page).reduce(
    (text, [, heading]) => text.replace(section(page, heading), ''),
    readDoc(page),
  );
}

function section(page: string, heading: string): string {
  const [, ...parts] = readDoc(page).split(/^(?=## )/m);
  const text = parts.find((part) => part.startsWith(`## ${heading}\n`));
  if (text === undefined) throw new Error(`${page} has no section ${heading}`);
  return text;
}

/** What a reader of a page does, in the order of the page. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'run'; readonly script: string }
  | { readonly kind: 'running'; readonly script: string; readonly until: string }
  | { readonly kind: 'not-run' };

const FENCE = /^ *```(\w+)(?: (.+))?\n([\s\S]*?)^ *```$/gm;

/**
 * The steps of a page, or of a section of it. What stands behind the language of a fence says what to do with it, and no reader sees it:
 *
 * - `sh`: is run, and must end with 0;
 * - `sh running: TEXT`: is left running, as in another terminal, and goes on once it has written the text;
 * - `json NAME`, `yaml NAME`: is written to that file;
 * - `not-run` behind any language: is only shown, and the page says so.
 *
 * @throws an error for a fence that has a language and none of these
 */
export function readSteps(name: string, shown: string): readonly Step[] {
  return [...shown.matchAll(FENCE)].map(([, language = '', info = '', text = '']) =>
    toStep(name, language, info, text),
  );
}

function toStep(name: string, language: string, info: string, text: string): Step {
  if (info === 'not-run') return { kind: 'not-run' };
  if (language === 'sh' && info === '') return { kind: 'run', script: text };
  const [, until] = /^running: (.+)$/.exec(info) ?? [];
  if (language === 'sh' && until !== undefined) return { kind: 'running', script: text, until };
  if (language !== 'sh' && info !== '') return { kind: 'file', name: info, text };
  throw new Error(`${name}: what becomes of \`\`\`${language} ${info} with ${text.slice(0, 40)}?`);
}
