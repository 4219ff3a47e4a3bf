import { stripVTControlCharacters } from 'node:util';
import type { Shot } from './record-screen.ts';

/** The colours of a terminal, by the number that turns each on. */
interface Theme {
  readonly background: string;
  readonly text: string;
  readonly colours: Readonly<Record<number, string>>;
}

export const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    background: '#f6f8fa',
    text: '#1f2328',
    colours: { 31: '#b3261e', 32: '#116329', 33: '#7d4e00', 34: '#0550ae', 36: '#0b6378' },
  },
  dark: {
    background: '#0d1117',
    text: '#e6edf3',
    colours: { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 34: '#79c0ff', 36: '#56d4dd' },
  },
};

const LINE = 18;
const CELL = 8.4;
const MARGIN = 16;
/** The last shot stays so long before the picture begins again. */
const REST_MS = 8_000;

/**
 * The shots as a picture that moves, each for as long as it was there. Every different line is in it once. People who
 * asked their system for less motion see the last shot alone.
 */
export function toSvg(
  shots: readonly Shot[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
  theme: Theme,
  title: string,
): string {
  const totalMs = (shots.at(-1)?.at ?? 0) + REST_MS;
  const ids = new Map<string, string>();
  for (const line of shots.flatMap(({ lines }) => lines)) {
    if (line !== '' && !ids.has(line)) ids.set(line, `l${ids.size}`);
  }
  const percent = (at: number) => `${((at / totalMs) * 100).toFixed(2)}%`;
  const rules = shots.map(({ at }, index) => {
    const until = shots[index + 1]?.at;
    const from = index === 0 ? '' : `0%{opacity:0}`;
    const end = until === undefined ? '' : `${percent(until)}{opacity:0}`;
    return `@keyframes k${index}{${from}${percent(at)}{opacity:1}${end}}.s${index}{animation:k${index} ${totalMs}ms step-end infinite}`;
  });
  const width = columns * CELL + 2 * MARGIN;
  const height = rows * LINE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    '<style>',
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${theme.text};white-space:pre}`,
    ...Object.entries(theme.colours).map(([code, colour]) => `.c${code}{fill:${colour}}`),
    '.c1{font-weight:bold}.c2{opacity:.65}',
    ...rules,
    `@media (prefers-reduced-motion:reduce){g[class]{animation:none;opacity:0}g.s${shots.length - 1}{opacity:1}}`,
    '</style>',
    `<rect width="100%" height="100%" rx="8" fill="${theme.background}"/>`,
    '<defs>',
    ...[...ids].map(([line, id]) => `<text id="${id}">${spansOf(line)}</text>`),
    '</defs>',
    ...shots.map(({ lines }, index) => {
      const uses = lines.flatMap((line, row) => {
        const id = ids.get(line);
        return id === undefined
          ? []
          : [`<use href="#${id}" x="${MARGIN}" y="${MARGIN + (row + 1) * LINE - 5}"/>`];
      });
      return `<g class="s${index}">${uses.join('')}</g>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** A line with colours as spans. The length is given, so that characters of other fonts cannot push the rest aside. */
function spansOf(line: string): string {
  let column = 0;
  let on: readonly number[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a terminal is told its colours.
  return [...line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)]
    .map(([, codes, text = '']) => {
      if (codes !== undefined) {
        on = codes.split(';').map(Number).reduce(turned, on);
        return '';
      }
      const x = (column * CELL).toFixed(1);
      column += text.length;
      const classes = on.map((code) => `c${code}`).join(' ');
      const length = `textLength="${(text.length * CELL).toFixed(1)}"`;
      return `<tspan x="${x}" ${length}${classes === '' ? '' : ` class="${classes}"`}>${escaped(text)}</tspan>`;
    })
    .join('');
}

/** The codes that are on after one more: 0 ends all, 22 ends bold and dim, 39 ends the colour. */
function turned(on: readonly number[], code: number): readonly number[] {
  if (code === 0) return [];
  if (code === 22) return on.filter((each) => each > 2);
  if (code === 39) return on.filter((each) => each <= 2);
  return [...on, code];
}

function escaped(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');
}
