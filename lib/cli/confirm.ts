import { ErrorName, SteprollError } from '../domain/errors.ts';
import { ask, hasPerson, type Terminal } from './ask.ts';

/**
 * Asks a question that only `y` or `yes` answers with yes.
 *
 * @throws `InvalidInput` where there is nobody to ask, `AbortError` at Ctrl-C and Ctrl-D.
 */
export async function confirm(
  question: string,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  if (!hasPerson(terminal)) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      'Without a terminal there is nobody to ask: say --yes to go ahead.',
    );
  }
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `, terminal));
}
