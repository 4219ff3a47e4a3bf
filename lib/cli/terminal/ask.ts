import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Interrupted } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** Questions are asked on stdin and stderr, because stdout is for the result. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

interface Questions {
  /** @throws `Interrupted` at Ctrl-C, and when no answer can come any more (Ctrl-D). */
  ask(question: string): Promise<string>;
  close(): void;
}

export function terminalOfProcess(): Terminal {
  return {
    // The stream is opened only when somebody may be asked.
    get input() {
      return process.stdin;
    },
    output: process.stderr,
  };
}

export function hasPerson(terminal: Terminal): boolean {
  return terminal.output.isTTY === true && terminal.input.isTTY === true;
}

/** Questions that belong together: the answers to later ones may be pasted together with the first. */
export function openQuestions({ input, output }: Terminal): Questions {
  const prompt = createInterface({ input, output, terminal: true });
  const pasted: string[] = [];
  prompt.on('line', (line) => pasted.push(line));
  const left = new AbortController();
  const leave = () => left.abort();
  prompt.once('SIGINT', leave).once('close', leave);
  return {
    async ask(question) {
      const next = pasted.shift();
      if (next !== undefined) {
        output.write(`${question}${next}\n`);
        return next.trim();
      }
      try {
        return (await prompt.question(question, { signal: left.signal })).trim();
      } catch (cause) {
        if (!left.signal.aborted) throw cause;
        throw new Interrupted('Nothing was changed.', { cause });
      }
    },
    close: () => prompt.close(),
  };
}

/**
 * Asks a question that only `y` or `yes` confirms. It is asked separately: text that was pasted for earlier questions
 * must not confirm something that they did not show yet.
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

/** Checks that there is a person to ask, before anything is read or shown for the question. */
export function withSomebodyToAsk(invocation: Invocation): Invocation {
  if (invocation.given['--yes'] === true || hasPerson(terminalOfProcess())) return invocation;
  const mistake = '--yes: missing; without a terminal there is nobody to ask';
  return { ...invocation, mistakes: [...invocation.mistakes, mistake] };
}

/** On AWS a rollout goes on by itself. Without a terminal, an option has to say whether to wait for its end. */
export function watchedOrLeft(invocation: Invocation): Invocation {
  const { given, mistakes } = invocation;
  const isChosen = given['--watch'] === true || given['--detach'] === true;
  if (isChosen || hasPerson(terminalOfProcess())) return invocation;
  const mistake =
    '--watch: missing; without a terminal use --watch to wait for the end of the rollout, or --detach to leave it';
  return { ...invocation, mistakes: [...mistakes, mistake] };
}
