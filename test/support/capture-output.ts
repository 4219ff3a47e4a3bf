import { jest } from '@jest/globals';

/** What `work` writes to stdout and stderr of this process; it is shown nowhere. */
export async function captureOutput(work: () => Promise<unknown>): Promise<string> {
  let output = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      output += chunk;
      return true;
    }),
  );
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return output;
}

/** The JSON lines of an output. */
export function jsonLines(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
