import { createInterface } from 'node:readline/promises';
import { ErrorName, SteprollError } from '../domain/errors.ts';

/**
 * Asks a question that only `y` or `yes` answers with yes.
 *
 * @throws `InvalidInput` where there is nobody to ask.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      'Without a terminal there is nobody to ask: say --yes to go ahead.',
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
