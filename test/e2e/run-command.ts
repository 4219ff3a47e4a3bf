import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the checkout to its end. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { exitCode, stdout, stderr };
}

/** The same for one that has to succeed. @throws with what it said. */
export async function runOrThrow(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(args, env);
  if (exitCode === 0) return stdout;
  throw new Error(`${args.join(' ')} ended with ${exitCode}:\n${stdout}\n${stderr}`);
}
