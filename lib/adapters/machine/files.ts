import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseWrittenJson, type WrittenJson } from '../../contract/input/written-json.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { inHome } from './environment.ts';

/** Reads a file that a person wrote. @throws `InvalidInput` when the file is not there or not JSON. */
export function readJsonFile(path: string): WrittenJson {
  return readParsed(path, parseWrittenJson);
}

/** @throws `InvalidInput` when the file is not there, or `parse` throws. */
export function readParsed<T>(path: string, parse: (text: string) => T): T {
  try {
    return parse(readText(path));
  } catch (cause) {
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}

/** @throws for a file that cannot be read, or is not text. */
export function readText(path: string): string {
  return textOf(readFileSync(path));
}

/** The text of a file without a byte order mark, also of UTF-16, as Windows writes it. @throws for what is no text. */
export function textOf(bytes: Buffer): string {
  const encoding = UTF_16[bytes.toString('hex', 0, 2)] ?? 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

/** By the byte order mark at the start, in hex. The decoder of UTF-8 knows its own. */
const UTF_16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** What this account may not see is not taken for what is not there. @throws what the file system throws then. */
export function fileExists(path: string | URL): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether what is there is gone once it was read, or may never come: a pipe such as `<(…)`, or a terminal. */
export function isReadOnce(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    // Whoever reads it says why it cannot be read.
    return false;
  }
}

/** Writes a file that people read too: indented, with a newline at its end. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** A relative path starts at the folder of its file, `~` is the home folder. @throws `InvalidInput` without one. */
export function pathSeenFrom(file: string, path: string): string {
  if (!path.startsWith('~/')) return resolve(dirname(file), path);
  const found = inHome(path.slice(2));
  if (found !== null) return found;
  throw new SteprollError(ErrorName.InvalidInput, `${file}: ${path}: there is no home folder`);
}
