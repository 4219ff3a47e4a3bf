import { readDoc } from '../code-blocks.ts';

/** What a reader of a page does, in the order of the page. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'run'; readonly script: string }
  | { readonly kind: 'running'; readonly script: string; readonly until: string }
  | { readonly kind: 'not-run' };

const FENCE = /^ *```(\w+)(?: (.+))?\n([\s\S]*?)^ *```$/gm;

/**
 * The steps of a page. What stands behind the language of a fence says what to do with it, and no reader sees it:
 *
 * - `sh`: is run, and must end with 0;
 * - `sh running: TEXT`: is left running, as in another terminal, and goes on once it has written the text;
 * - `json NAME`, `yaml NAME`: is written to that file;
 * - `not-run` behind any language: is only shown, and the page says so.
 *
 * @throws an error for a fence that has a language and none of these
 */
export function readSteps(page: string): readonly Step[] {
  return [...readDoc(page).matchAll(FENCE)].map(([, language = '', info = '', text = '']) =>
    toStep(page, language, info, text),
  );
}

function toStep(page: string, language: string, info: string, text: string): Step {
  if (info === 'not-run') return { kind: 'not-run' };
  if (language === 'sh' && info === '') return { kind: 'run', script: text };
  const [, until] = /^running: (.+)$/.exec(info) ?? [];
  if (language === 'sh' && until !== undefined) return { kind: 'running', script: text, until };
  if (language !== 'sh' && info !== '') return { kind: 'file', name: info, text };
  throw new Error(`${page}: what becomes of \`\`\`${language} ${info} with ${text.slice(0, 40)}?`);
}
