import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { checkQuestion } from '../support/check-question.ts';

/** A server in a process that may have few files open. Who asks for `/check` gets what a command has answered. */
const PROGRAM = `
  import { createLoopbackApp, listenOnLoopback } from ${here('../../lib/loopback/app.ts')};
  import { runCommand } from ${here('../../lib/adapters/gates/run-command.ts')};
  const question = ${JSON.stringify({ ...checkQuestion(), timeoutSeconds: 20 })};
  const app = createLoopbackApp({ answerError: (error, _, reply) => void reply.code(500).send(String(error)) });
  app.get('/check', async () => runCommand(['/bin/echo', 'here'], question));
  console.log(await listenOnLoopback(app, { host: '127.0.0.1', port: 0 }));`;

function here(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href);
}

test('strangers who only hold connections leave room for checks, and for whoever asks', async () => {
  const limit = ['-c', 'ulimit -n 96; exec "$@"', 'sh'];
  const program = [process.execPath, '--input-type=module', '-e', PROGRAM];
  const server = spawn('/bin/sh', [...limit, ...program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  try {
    const [url] = await once(server.stdout.setEncoding('utf8'), 'data');
    const { port } = new URL(String(url).trim());
    for (let count = 0; count < 200; count += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const answer = await fetch(new URL('/check', String(url).trim()));
    expect(await answer.json()).toEqual({ verdict: 'pass', detail: 'SUCCEEDED: here' });
    expect(server.exitCode).toBeNull();
  } finally {
    for (const socket of sockets) socket.destroy();
    server.kill();
    await once(server, 'close');
  }
});
