import { type Mistake, mistakeAt } from './parse-input.ts';

export interface WrittenJson {
  readonly value: unknown;
  /** One for each key that an object has more than once. The parser would keep the last one and say nothing. */
  readonly mistakes: readonly Mistake[];
}

/** @throws `SyntaxError` for what is not JSON; its message quotes the text. */
export function parseWrittenJson(written: string): WrittenJson {
  // Editors of Windows put a byte order mark at the start, and it stays when somebody copies the text.
  const text = written.replace(/^\ufeff/, '');
  return { value: JSON.parse(text), mistakes: repeatedKeys(text) };
}

/** `undefined`: it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object or a list around a token. */
interface Level {
  /** Where the keys of the object begin. */
  readonly keys: Map<string, number>;
  /** The key or the index that the reader is at. */
  at: string | number;
}

/** Strings, with the colon behind those that are keys, and what begins, parts and ends objects and lists. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/** @param text Valid JSON. */
function repeatedKeys(text: string): Mistake[] {
  const levels: Level[] = [];
  const mistakes: Mistake[] = [];
  for (const { 0: token, 1: string = '', 2: colon, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (level === undefined || colon === undefined) {
      move(levels, token);
      continue;
    }
    const key: string = JSON.parse(string);
    level.at = key;
    const first = level.keys.get(key) ?? index;
    level.keys.set(key, first);
    if (first === index) continue;
    const path = levels.map(({ at }) => at);
    mistakes.push(mistakeAt(path, twice(first, index, text)));
  }
  return mistakes;
}

function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  if (token === '{') levels.push({ keys: new Map(), at: '' });
  if (token === '[') levels.push({ keys: new Map(), at: 0 });
  if (token === '}' || token === ']') levels.pop();
  if (token === ',' && typeof level?.at === 'number') level.at += 1;
}

function twice(first: number, second: number, text: string): string {
  return `given twice, at ${placeOf(first, text)} and at ${placeOf(second, text)}; keep one of them`;
}

/** Line and column, counted from 1, as editors show them. */
function placeOf(index: number, text: string): string {
  const before = text.slice(0, index);
  return `${before.split('\n').length}:${index - before.lastIndexOf('\n')}`;
}
