import type { Command } from 'commander';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { bashCompletion } from './bash.ts';
import { type CompletionNode, completionNodes, SHELLS, type Shell } from './completion.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SCRIPTS: Readonly<Record<Shell, (nodes: readonly CompletionNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/**
 * Prints the script of a shell. Every new shell waits for it, so the one value is checked by hand: zod alone would
 * take longer to load than everything else here.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function printCompletion(program: Command, { given, mistakes }: Invocation): number {
  const shell = SHELLS.find((name) => name === given.shell);
  if (shell === undefined || mistakes.length > 0) {
    throw invalidInput('arguments', [
      ...mistakes,
      ...(shell === undefined ? [faultOf(given.shell)] : []),
    ]);
  }
  process.stdout.write(SCRIPTS[shell](completionNodes(program)));
  return ExitCode.Done;
}

function faultOf(given: unknown): string {
  const said = given === undefined ? 'missing' : `${JSON.stringify(given)} is not allowed`;
  return `shell: ${said}; use one of ${SHELLS.map((name) => JSON.stringify(name)).join(', ')}`;
}
