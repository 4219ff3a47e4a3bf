import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSources, resolveImport, type SourceFile } from '../../support/source-files.ts';

/** What has been simulated with these very sources, so that an interrupted run need not begin anew. */
export interface Progress<Draw, Result> {
  find(draw: Draw): Result | undefined;
  add(draw: Draw, result: Result): void;
}

/**
 * The file for what is simulated with the sources of now, as far as this thread loads them. The same seed and the same
 * sources give the same result, so the file is named after the sources: when one of them changes, everything is
 * simulated anew.
 */
export function progressFile(thread: URL): string {
  const name = `node_modules/.cache/simulation/${sourcesId(thread)}.jsonl`;
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}

/** Each line of the file is the result of one draw. */
export function openProgress<Draw, Result>(file: string): Progress<Draw, Result> {
  mkdirSync(dirname(file), { recursive: true });
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const known = new Map(text.split('\n').flatMap(parseLine<Result>));
  // Whoever was killed in the midst of a line has left no end of it.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  return {
    find: (draw) => known.get(JSON.stringify(draw)),
    add: (draw, result) =>
      appendFileSync(file, `${JSON.stringify([JSON.stringify(draw), result])}\n`),
  };
}

function parseLine<Result>(line: string): [[string, Result]] | [] {
  try {
    return line === '' ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** Names all sources that a thread loads, as they are now, and the versions of the packages. */
function sourcesId(thread: URL): string {
  const hash = createHash('sha256').update(readFileSync('package-lock.json'));
  for (const { path, code } of loadedSources(thread)) hash.update(path).update(code);
  return hash.digest('hex').slice(0, 16);
}

/** All sources that a thread of a simulation loads. */
export function loadedSources(thread: URL): readonly SourceFile[] {
  const sources = new Map(readSources(['lib', 'test']).map((source) => [source.path, source]));
  const loaded = new Set([relative(process.cwd(), fileURLToPath(thread))]);
  const found: SourceFile[] = [];
  for (const path of loaded) {
    const source = sources.get(path);
    if (source === undefined) continue;
    found.push(source);
    for (const name of source.loads) {
      const imported = resolveImport(source, name);
      if (imported !== null) loaded.add(imported);
    }
  }
  return found;
}
