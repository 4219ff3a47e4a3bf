import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { runCommand } from '../../../lib/adapters/gates/run-command.ts';
import { checkQuestion } from '../../support/check-question.ts';

const QUESTION = { ...checkQuestion(), timeoutSeconds: 30 };
const run = (script: string, timeoutSeconds = 30, environment = process.env) =>
  runCommand([process.execPath, '-e', script], { ...QUESTION, timeoutSeconds }, environment);

describe('a command', () => {
  test.each([
    ['process.exit(0)', { verdict: 'pass', detail: 'SUCCEEDED' }],
    [
      'console.log("a"); console.log("score 0.2"); process.exit(1)',
      { verdict: 'fail', detail: 'FAILED: score 0.2' },
    ],
    ['process.exit(75)', { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 30 }],
    ['process.exit(2)', { verdict: 'unknown', detail: 'exit code 2, which is no answer' }],
    [
      'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 1e6)',
      { verdict: 'unknown', detail: 'ended by SIGTERM' },
    ],
    ['throw new Error("x"); ', { verdict: 'fail', detail: 'FAILED' }],
  ])('%s says what its exit code says', async (script, answer) => {
    expect(await run(script)).toEqual(answer);
  });

  test('that is not there gives no answer', async () => {
    const answer = await runCommand(['/none/such'], QUESTION);
    expect(answer).toEqual({ verdict: 'unknown', detail: 'not run: ENOENT' });
  });

  test('is not read by a shell', async () => {
    const answer = await runCommand(['/bin/echo', '$HOME;', '`id`', '&&', 'x'], QUESTION);
    expect(answer.detail).toBe('SUCCEEDED: $HOME; `id` && x');
  });

  test('gets the question in its standard input', async () => {
    const script = `let text = '';
      process.stdin.on('data', (each) => { text += each; }).on('end', () => {
        const { rolloutId, endpoints } = JSON.parse(text);
        console.log(rolloutId, endpoints[0].url, endpoints[0].previousVersion);
      });`;
    expect((await run(script)).detail).toBe('SUCCEEDED: roll-1 https://web-1.example.com 1');
  });

  test('sees of the environment what it needs, and no secret', async () => {
    const script = `console.log(Object.keys(process.env).sort().join());`;
    const environment = {
      ...{
        PATH: process.env.PATH,
        HOME: '/home/x',
        STEPROLL_TOKEN: 't',
        AWS_SECRET_ACCESS_KEY: 's',
      },
      ...{ NODE_OPTIONS: '--no-warnings', HTTPS_PROXY: 'http://u:p@proxy', GITHUB_TOKEN: 'g' },
    };
    const names = (await run(script, 30, environment)).detail.replace('SUCCEEDED: ', '').split(',');
    expect(names).toEqual(expect.arrayContaining(['HOME', 'PATH', 'STEPROLL_ATTEMPT_ID']));
    expect(names.filter((name) => /TOKEN|SECRET|PROXY|OPTIONS/.test(name))).toEqual([]);
  });

  test('that never ends, ignores SIGTERM and floods its output ends with its time', async () => {
    const script = `process.on('SIGTERM', () => {});
      const flood = () => process.stdout.write('x'.repeat(65536), flood);
      flood();`;
    expect(await run(script, 1)).toEqual({ verdict: 'unknown', detail: 'no end in 1 s' });
  });

  test('leaves nothing behind that it has started, whether it ends or not', async () => {
    // Each process that is still there holds a connection.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const closed: Promise<unknown>[] = [];
    server.on('connection', (socket) => {
      socket.on('error', () => undefined).resume();
      closed.push(once(socket, 'close'));
    });
    const hold = `process.on('SIGTERM', () => {}); require('net').connect(${port}, '127.0.0.1')`;
    const script = (end: string) => `${hold}.on('connect', () => {
        const { spawn } = require('child_process');
        const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${hold}.on('connect', () => console.log('here'))`)}]);
        child.stdout.on('data', () => { ${end} });
      });`;
    expect(await run(script('process.exit(0)'))).toMatchObject({ verdict: 'pass' });
    expect(await run(script(''), 3)).toMatchObject({ detail: 'no end in 3 s' });
    expect(closed.length).toBeGreaterThanOrEqual(2);
    await Promise.all(closed);
    server.close();
  });
});
