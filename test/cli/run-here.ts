import { PassThrough } from 'node:stream';
import { jest } from '@jest/globals';
import { runProgram } from '../../lib/cli/program.ts';

/**
 * Runs a command in this process, one at a time, as if there were no terminal and no other variables than
 * these.
 *
 * @param typed What somebody types at a terminal. @default - there is no terminal
 */
export async function runHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  typed?: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin');
  if (typed !== undefined) {
    const input = new PassThrough();
    input.write(typed);
    Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  }
  const streams: { isTTY?: boolean }[] = [process.stdin, process.stdout, process.stderr];
  const terminals = streams.map(({ isTTY }) => isTTY);
  for (const stream of streams) stream.isTTY = typed !== undefined;
  const environment = jest.replaceProperty(process, 'env', { ...variables });
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((chunk) => {
      output[name] += chunk;
      return true;
    }),
  );
  try {
    return { code: await runProgram(args, '1.0.0'), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
    environment.restore();
    streams.forEach((stream, index) => {
      if (terminals[index] !== undefined) stream.isTTY = terminals[index];
      else delete stream.isTTY;
    });
    if (stdin !== undefined) Object.defineProperty(process, 'stdin', stdin);
  }
}
