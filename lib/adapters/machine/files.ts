import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';

/**
 * Reads a file that a person wrote.
 *
 * @throws `InvalidInput` when the file is not there or not JSON.
 */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}

export function fileExists(path: string): boolean {
  return existsSync(path);
}

/** Writes a file that people read too: indented, with a newline at its end. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
