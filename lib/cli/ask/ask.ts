import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Interrupted } from '../interrupted.ts';

/** Where a person is asked: stdin and stderr, because stdout is for the result. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

export interface Questions {
  /** @throws `Interrupted` at Ctrl-C, and where no answer can come any more (Ctrl-D). */
  ask(question: string): Promise<string>;
  close(): void;
}

export function terminalOfProcess(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

export function hasPerson({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/** Questions that belong together: answers to later ones may be pasted with the first. */
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
