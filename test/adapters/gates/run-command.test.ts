import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { runCommand } from '../../../lib/adapters/gates/run-command.ts';
import { rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';
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

  test('that nobody waits for any more is killed', async () => {
    const givenUp = AbortSignal.abort();
    const forEver = [process.execPath, '-e', 'setTimeout(() => {}, 1e6)'];
    expect(await runCommand(forEver, QUESTION, process.env, givenUp)).toEqual({
      verdict: 'unknown',
      detail: 'ended by SIGKILL',
    });
  });

  test('tells no secret that this process knows, however it is spelled, nor a part of one', async () => {
    const secret = `sesame-${'x'.repeat(200)}`;
    rememberSecret(`ops:${secret}`);
    const { detail } = await run(
      `console.log('got', ${JSON.stringify(secret)}, 'and', ${JSON.stringify(Buffer.from(secret).toString('base64'))})`,
    );
    expect(detail).toBe('SUCCEEDED: got [hidden] and [hidden]');
  });

  test.each([
    ['begins before what is kept', `'x '.repeat(4_000) + secret + ' '.repeat(70_000) + 'x'`],
    ['begins before a look back', `secret + 'y'.repeat(4_000)`],
    ['is cut at the end of what is kept', `' '.repeat(65_530) + secret`],
    ['is cut at the end of what is looked at', `'x' + ' '.repeat(4_090) + secret`],
    ['stands in a line that is not the last', `secret + '\\n' + 'y'.repeat(5_000) + '\\n\\n'`],
  ])('tells no part of a secret that %s', async (_, said) => {
    const secret = 'sesame-'.repeat(20);
    rememberSecret(secret);
    const { detail } = await run(`const secret = ${JSON.stringify(secret)}; console.log(${said})`);
    expect(detail).toMatch(/^SUCCEEDED/);
    expect(detail).not.toContain('sesame');
  });

  test('whose last line is long is told by the start of it', async () => {
    const script = `process.stdout.write('a\\nb'); setTimeout(() => console.log('c'.repeat(70_000)), 50)`;
    expect((await run(script)).detail).toMatch(/^SUCCEEDED: bc{100,}…$/);
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

  test('and all that it has started die with a process that is killed while it runs', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    const { port } = await listening(server);
    const arrived = twoConnections(server);
    const hold = `process.on('SIGTERM', () => {}); require('net').connect(${port}, '127.0.0.1')`;
    const script = `${hold}; require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(hold)}])`;
    const parent = startModule(
      `await runCommand([process.execPath, '-e', ${JSON.stringify(script)}], question)`,
    );
    const closed = (await arrived).map((socket) => once(socket.resume(), 'close'));
    parent.kill('SIGKILL');
    await Promise.all(closed);
    server.close();
  });

  test.each([
    ['a', 'EMFILE', ''],
    ['a program that is not there, and a', 'EMFILE', '/none/such'],
  ])('%s machine without room for another file runs none: %s', async (_, code, program) => {
    const work = `
      const { openSync } = await import('node:fs');
      const files = [];
      try { for (;;) files.push(openSync('/dev/null')); } catch {}
      const answers = [];
      for (let free = 0; free < 24; free += 1) {
        answers.push(await runCommand([${JSON.stringify(program)} || process.execPath, '-e', '0'], question));
        (await import('node:fs')).closeSync(files.pop());
      }
      console.log(JSON.stringify(answers));`;
    const child = startModule(work, ['/bin/sh', '-c', 'ulimit -n 60; exec "$@"', 'sh']);
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    const answers: { verdict: string; detail: string }[] = JSON.parse(said);
    expect(answers[0]).toEqual({ verdict: 'unknown', detail: `not run: ${code}` });
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(
      new Set(program === '' ? ['unknown', 'pass'] : ['unknown']),
    );
  });
});

async function listening(server: Server): Promise<AddressInfo> {
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

function twoConnections(server: Server): Promise<readonly Socket[]> {
  return new Promise((resolve) => {
    const sockets: Socket[] = [];
    server.on('connection', (socket) => {
      sockets.push(socket.on('error', () => undefined));
      if (sockets.length === 2) resolve(sockets);
    });
  });
}

/** A process of its own that does this with `runCommand` and a question. */
function startModule(work: string, before: readonly string[] = []) {
  const path = new URL('../../../lib/adapters/gates/run-command.ts', import.meta.url).href;
  const code = `import { runCommand } from ${JSON.stringify(path)};
    const question = ${JSON.stringify(QUESTION)};
    ${work}`;
  const [first = '', ...args] = [...before, process.execPath, '--input-type=module', '-e', code];
  return spawn(first, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}
