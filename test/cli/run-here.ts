import { tmpdir } from 'node:os';
import { runProgram } from '../../lib/commands/program.ts';
import { ProcessHere, type Surroundings } from '../support/process-here.ts';
import { ended } from './program-process.ts';

const VERSION = '1.0.0';

/** A command in this process, in a home folder that is its state folder too. It sees no other variables than these. */
export function startHere(
  home: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  { cwd = home, typed }: Partial<Pick<Surroundings, 'cwd' | 'typed'>> = {},
): ProcessHere {
  const folders = { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, STEPROLL_STATE_DIR: home };
  return new ProcessHere(() => runProgram(args, VERSION), {
    cwd,
    env: { ...folders, ...variables },
    typed,
  });
}

/**
 * Runs a command in this process, in a folder where nothing lies.
 *
 * @param typed What somebody types at a terminal. @default - there is no terminal
 */
export function runHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  typed?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return ended(
    new ProcessHere(() => runProgram(args, VERSION), { cwd: tmpdir(), env: variables, typed }),
  );
}
