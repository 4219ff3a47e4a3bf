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
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u25a0-\u25fc]*$/;

const load = createRequire(import.meta.url);
let loaded: typeof stringWidth | undefined;
