import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/** Where a person is asked: stdin and stderr, because stdout is for the result. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

export function hasPerson({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/** @throws `AbortError` at Ctrl-C, and where no answer can come any more (Ctrl-D). */
export async function ask(question: string, { input, output }: Terminal): Promise<string> {
  const prompt = createInterface({ input, output, terminal: true });
  const left = new AbortController();
  const leave = () => left.abort();
  prompt.once('SIGINT', leave).once('close', leave);
  try {
    return (await prompt.question(question, { signal: left.signal })).trim();
  } finally {
    prompt.close();
  }
}
