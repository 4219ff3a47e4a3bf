import { readFileSync } from 'node:fs';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';

/**
 * Reads a file that a person wrote.
 *
 * @throws `InvalidInput` when it is not there or not JSON.
 */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}
