import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { plainLines } from './plain-text.ts';

/** An error as people read it and scripts search for it: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has a heading of its own.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
