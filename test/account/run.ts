import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, with the settings of AWS that this process has. */
export async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString();
    });
  }
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { exitCode, ...texts };
}

/** The same for a program that has to succeed. @throws with the end of what it said. */
export async function runWell(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await run(program, args, env);
  if (exitCode === 0) return stdout;
  const what = [program, ...args.slice(0, 3)].join(' ');
  throw new Error(`${what} ended with ${exitCode}: ${(stderr || stdout).trim().slice(-600)}`);
}

/** What version 2 of the AWS CLI answers. */
// biome-ignore lint/suspicious/noExplicitAny: the answers of a dozen commands, each read once
export async function aws(...args: readonly string[]): Promise<any> {
  const text = await runWell('aws', [...args, '--output', 'json']);
  return text.trim() === '' ? {} : JSON.parse(text);
}

/** Asks again until something is so. @throws once it has lasted too long. */
export async function until<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
}
