import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessHere } from '../support/process-here.ts';

/** Every start of a program would compile it anew. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/steproll', import.meta.url));

type Child = ChildProcess | ProcessHere;

const running = new Set<ChildProcess>();

/** The end of each of them, with its exit code. */
const closings = new WeakMap<Child, Promise<readonly (number | null)[]>>();

/** A program of this repository in a process of its own, in a home folder that is its state folder too. */
export function startProgram(
  home: string,
  args: readonly string[],
  program = 'steproll',
  variables: Readonly<Record<string, string>> = {},
  cwd = home,
): ChildProcess {
  const file = fileURLToPath(new URL(`../../bin/${program}.ts`, import.meta.url));
  return startCommand(home, [process.execPath, file, ...args], variables, cwd);
}

/** Any command, with the environment of the programs. */
export function startCommand(
  home: string,
  [command = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  cwd: string,
): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    STEPROLL_STATE_DIR: home,
    NODE_COMPILE_CACHE: COMPILED,
    ...variables,
  };
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { cwd, env, stdio });
  running.add(child);
  child.once('close', () => running.delete(child));
  closings.set(child, once(child, 'close') as Promise<readonly (number | null)[]>);
  return child;
}

/** Ends what a test that failed has left running, or the test run would wait for it. */
export function killPrograms(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** How it ended, and what it wrote from now on. */
export async function ended(child: Child) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return { code: await closed(child), ...output };
}

/** Its exit code, also when it has ended already: an event that has passed is not heard any more. */
export async function closed(child: Child): Promise<number | null> {
  if ('closing' in child) return child.closing;
  const [code] = await (closings.get(child) ?? once(child, 'close'));
  return code ?? null;
}

/** Resolves once it has written a text, with all that it has written until then. */
export function saw(child: Child, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = '';
    child.once('close', (code: number | null, signal: NodeJS.Signals | null = null) => {
      const how = signal ?? `exit ${code}`;
      reject(new Error(`ended without ${text}, ${how}: ${written}`));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        written += chunk;
        if (written.includes(text)) resolve(written);
      });
    }
  });
}
