import { ignoreClosedPipes } from './invocation/process.ts';
import { runProgram } from './program.ts';

/** Runs the command line of this process, and leaves its exit code. */
export async function main(version: string): Promise<void> {
  ignoreClosedPipes();
  process.exitCode = await runProgram(process.argv.slice(2), version);
}
