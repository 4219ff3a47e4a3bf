import { openQuestions, type Terminal, terminalOfProcess } from './ask.ts';

/**
 * Asks a question that only `y` or `yes` answers with yes. It is asked by itself: what was pasted for
 * the questions before it is no yes to what they did not show yet.
 *
 * @throws `Interrupted` at Ctrl-C and Ctrl-D.
 */
export async function confirm(
  question: string,
  terminal: Terminal = terminalOfProcess(),
): Promise<boolean> {
  const questions = openQuestions(terminal);
  try {
    return /^y(es)?$/i.test(await questions.ask(`${question} [y/N] `));
  } finally {
    questions.close();
  }
}
