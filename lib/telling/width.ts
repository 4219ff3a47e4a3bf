import { createRequire } from 'node:module';
import type { WriteStream } from 'node:tty';
import type stringWidth from 'string-width';

export type Stream = NodeJS.WriteStream | WriteStream;

const DEFAULT_COLUMNS = 80;

/** The greatest width of a line of a result: that of the terminal. For a program there is no limit. */
export function widthOf(stream: Stream): number {
  return stream.isTTY ? columnsOf(stream) : Number.POSITIVE_INFINITY;
}

/** A terminal that does not know its size says 0. */
export function columnsOf(stream: Stream): number {
  return stream.columns || DEFAULT_COLUMNS;
}

/**
 * How many cells of a terminal a text takes. Every character of most texts takes one. The tables for all others take
 * as long to load as Node.js itself, so they are loaded when they are needed first.
 */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  loaded ??= load('string-width').default as typeof stringWidth;
  return loaded(text);
}

const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u25a0-\u25fc\u26a0\u2713-\u2718]*$/;

const load = createRequire(import.meta.url);
let loaded: typeof stringWidth | undefined;

/** Cuts a text to `width` cells of a terminal, with an ellipsis for the missing part. */
export function cutTo(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/**
 * Text in lines of at most `width` cells, broken at spaces. It keeps its indent, and lines after the first begin with
 * `hanging`. A word that is longer than a line stays whole, because people copy ids.
 */
export function wrapText(text: string, width: number, hanging = ''): string[] {
  const [indent = ''] = /^ */.exec(text) ?? [];
  const [first = '', ...words] = text.slice(indent.length).split(' ');
  const lines: string[] = [];
  let line = indent + first;
  for (const word of words) {
    const longer = `${line} ${word}`;
    if (textWidth(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = hanging + word;
    }
  }
  return [...lines, line];
}

/** The same of a command in a picture, whose lines end where the screen does: it breaks as a shell reads it. */
export function wrapCommand(text: string, width: number): string[] {
  if (!COMMAND.test(text)) return wrapText(text, width, '  ');
  const lines = wrapText(text, width - ' \\'.length, `${/^ */.exec(text)?.[0] ?? ''}  `);
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

const COMMAND = /^ *steproll /;

/** Wraps lines, further in. A command on a line of its own stays whole, because people copy it. */
export function wrapLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => {
    if (COMMAND.test(line)) return [line];
    const [indent = ''] = /^ */.exec(line) ?? [];
    const hanging = TIMED.test(line) ? ' '.repeat(indent.length + TIME_WIDTH) : `${indent}  `;
    return wrapText(line, width, hanging);
  });
}

/** A line with a time. Text that does not fit goes below the line's text. */
const TIMED = /^ +\d\d:\d\d:\d\dZ {2}/;
const TIME_WIDTH = '00:00:00Z  '.length;
