import type * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { checkInput, invalidInput } from './parse-input.ts';

/**
 * Parses a part of a trigger as `parseInput` does, under the name that its refusals have.
 *
 * @throws `InvalidTrigger` that lists every mistake.
 */
export function parseAsTrigger<T>(
  schema: z.ZodType<T>,
  value: unknown,
  nameOf?: (key: string) => string,
): T {
  const checked = checkInput(schema, value, nameOf);
  if ('data' in checked) return checked.data;
  throw invalidTrigger(checked.mistakes.map(({ text }) => text));
}

export function invalidTrigger(mistakes: readonly string[]): SteprollError {
  return new SteprollError(ErrorName.InvalidTrigger, invalidInput('trigger', mistakes).message);
}
