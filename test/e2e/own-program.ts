import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

// A server of somebody else, which a test starts for itself.

export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const isOver = once(program, 'exit');
  program.kill('SIGTERM');
  const killer = setTimeout(() => program.kill('SIGKILL'), 10_000);
  await isOver;
  clearTimeout(killer);
}

/** The end of what it has written. */
export function keepOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000);
    });
  }
  return () => text;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
