import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { JUDGES } from '../scenarios/simulation/judges/ending.ts';
import { INVARIANTS } from '../support/invariants.ts';
import { RUNTIME_INVARIANTS } from '../support/runtime-invariants.ts';
import { tableOf } from './markdown-table.ts';

/** Sentences of the docs that simulated rollouts are held to. */
export const PROMISES: readonly string[] = [
  ...Object.keys(INVARIANTS),
  ...Object.keys(RUNTIME_INVARIANTS),
  ...Object.keys(JUDGES),
];

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
/** Lists the promises, and makes none. */
const LIST = 'proof.md';

/** The page below `docs` that says this, word for word. */
export function pageOf(promise: string): string | undefined {
  return pages().find(({ text }) => text.includes(plain(promise)))?.page;
}

export function promisesTable(): string {
  const rows = PROMISES.map((promise) => {
    const page = pageOf(promise) ?? '';
    return [promise, `[${page}](${page})`];
  });
  return tableOf(['promise', 'page'], rows);
}

let read: readonly { readonly page: string; readonly text: string }[] | undefined;

function pages() {
  read ??= globSync('**/*.md', { cwd: DOCS })
    .filter((page) => page !== LIST)
    .toSorted()
    .map((page) => ({ page, text: plain(readFileSync(DOCS + page, 'utf8')) }));
  return read;
}

/** Without emphasis and line breaks. */
function plain(text: string): string {
  return text.replaceAll(/[*`]/g, '').replaceAll(/\s+/g, ' ');
}
