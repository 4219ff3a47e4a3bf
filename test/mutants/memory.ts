import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Memory<T> {
  read(): ReadonlyMap<string, T>;
  add(id: string, found: T): void;
}

/** What was found out about these texts. What was interrupted goes on with it. */
export function openMemory<T>(texts: readonly string[]): Memory<T> {
  mkdirSync(MEMORY, { recursive: true });
  const file = join(MEMORY, `${hashOf(texts)}.jsonl`);
  return {
    read() {
      if (!existsSync(file)) return new Map();
      const lines = readFileSync(file, 'utf8').split('\n');
      // The last line is empty, or it was cut off.
      return new Map(lines.slice(0, -1).map((line) => JSON.parse(line) as [string, T]));
    },
    add: (id, found) => appendFileSync(file, `${JSON.stringify([id, found])}\n`),
  };
}

export function hashOf(texts: readonly string[]): string {
  return createHash('sha1').update(texts.join('\0')).digest('hex');
}

const MEMORY = 'node_modules/.cache/steproll-mutants';
