import type * as z from 'zod';
import type { Mistake } from '../../contract/input/parse-input.ts';
import { plainLines } from '../../telling/text.ts';
import { openQuestions, type Terminal } from '../terminal/ask.ts';
import { checkSettings, type Settings } from './settings.ts';

/** Asks for each missing value until the schema accepts the answer. @throws `Interrupted` at Ctrl-C and Ctrl-D. */
export async function askMissing(
  missing: readonly Mistake[],
  schema: z.ZodObject,
  settings: Settings,
  terminal: Terminal,
): Promise<Settings> {
  const answered = new Map(settings);
  const questions = openQuestions(terminal);
  try {
    for (const { key, text } of missing) {
      let wrong: string | undefined = text;
      while (wrong !== undefined) {
        terminal.output.write(`${plainLines(wrong)}\n`);
        answered.set(key, { value: await questions.ask(`${key}: `), from: key });
        const checked = checkSettings(schema, answered);
        const found = 'data' in checked ? [] : checked.mistakes;
        wrong = found.find((one) => one.key === key)?.text;
      }
    }
    return answered;
  } finally {
    questions.close();
  }
}
