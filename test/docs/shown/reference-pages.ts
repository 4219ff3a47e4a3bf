import { readUnfollowed } from './read-steps.ts';

// The README and pages to look things up in. Whoever follows them has a fleet already.

export const PAGES = [
  'README.md',
  ...['ci', 'cli', 'configuration', 'containers', 'events'].map(toPage),
  ...['rehearsal', 'services', 'triggers', 'watching', 'notifications'].map(toPage),
];

function toPage(name: string): string {
  return `docs/${name}.md`;
}

interface Block {
  readonly page: string;
  readonly language: string;
  readonly info: string;
  readonly text: string;
}

export function blocksOf(page: string): Block[] {
  return [...readUnfollowed(page).matchAll(/^ *```(\w*) ?(.*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, language = '', info = '', text = '']): Block => ({ page, language, info, text }),
  );
}

export const BLOCKS = PAGES.flatMap(blocksOf);
export const SCRIPTS = BLOCKS.filter(({ language }) => language === 'sh');

/** As a shell takes a line apart, with what it has in variables. */
export function wordsOf(
  line: string,
  variables: ReadonlyMap<string, string> = new Map(),
): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => {
    if (single !== undefined) return single;
    const text = double ?? plain ?? '';
    return text.replaceAll(/\$(\w+)/g, (name, key) => variables.get(key) ?? name);
  });
}
