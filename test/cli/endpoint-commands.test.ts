import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ended, saw } from './program-process.ts';
import { startHere } from './run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-endpoints-'));
/** What the server emits when a write has arrived. */
const WRITE = 'write';
const server = createServer(({ method, url = '' }, response) => {
  if (method === 'GET') return answer(response, 200, { listData: [{ id: 'e-1' }], totalItem: 1 });
  server.emit(WRITE);
  if (url.includes('/broken/')) return answer(response, 500, {});
  if (url.includes('/other/')) return answer(response, 200, { id: 'e-2' });
  if (url.includes('/busy/')) return answer(response, 409, {});
  // Anything else is never answered.
});
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true });
});

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function start(command: string, ...args: string[]) {
  const endpoint = ['agent', 'runtime', 'endpoint', command];
  return startHere(home, [...endpoint, '--endpoint-url', url, ...args]);
}

function run(command: string, ...args: string[]) {
  return ended(start(command, ...args));
}

const inDoubt = (write: string) =>
  `The ${write} may have been carried out: look at the list before you send it again.\n`;

describe('a write', () => {
  test('without a clear answer: exit 3, its name, and what to do', async () => {
    expect(await run('stop', 'broken', 'e-1')).toEqual({
      code: 3,
      stdout: '',
      stderr: `OutcomeUnknown: POST /agent-runtimes/broken/endpoints/e-1/stop: 500 {}\n${inDoubt('stop')}`,
    });
  });

  test('to create without a clear answer: what it waits for is said, until Ctrl-C', async () => {
    const child = start('create', 'broken', '--name', 'web-1');
    const end = ended(child);
    await saw(child, 'looking again in 5 s');
    child.kill('SIGINT');
    const doubt =
      'It is not certain whether the endpoint was created: looking for it in the list.\n';
    const wait = 'It is not in the list yet: looking again in 5 s.\n';

    expect(await end).toEqual({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^${doubt}${wait}(?!.*looking).*${inDoubt('creation')}$`, 's'),
      ),
    });
  });

  test('that never left: exit 3, and that it was not carried out', async () => {
    expect(await run('stop', 'x', 'id:e-1', '--endpoint-url', 'http://127.0.0.1:1')).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^UpstreamTransient: POST .+\nThe stop was not carried out; ask again in a moment\.\nThe endpoint URL is .+, from the command line\.\n$/,
      ),
    });
  });

  test('that the service refuses: exit 1, and its name', async () => {
    expect(await run('update', 'busy', 'e-1', '--version', '2')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^UpstreamConflict: PUT .+\n$/),
    });
  });

  test('whose answer names another endpoint: exit 3, it is in doubt', async () => {
    expect(await run('update', 'other', 'e-1', '--version', '2', '-o', 'id')).toEqual({
      code: 3,
      stdout: '',
      stderr: `OutcomeUnknown: The service answers with another endpoint, "e-2".\n${inDoubt('update')}`,
    });
  });

  test.each([
    ['stop', 'stop', ['e-1']],
    ['update', 'update', ['e-1', '--version', '2']],
    ['create', 'creation', ['--name', 'web-1']],
  ])('Ctrl-C while %s is under way: exit 130, it is in doubt', async (command, write, args) => {
    const arrived = once(server, WRITE);
    const child = start(command, 'silent', ...args, '--debug');
    const end = ended(child);
    await arrived;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr.endsWith(`Interrupted: ${inDoubt(write)}`)).toBe(true);
    // Given up then, and not at the deadline of the call.
    expect(stderr).toMatch(/^(POST|PUT) .+ AbortError /m);
  });
});

describe('list', () => {
  test('--all beside --page and --size: every mistake shows what was typed', async () => {
    expect(await run('list', 'ok', '--all', '--page', '1', '--size', '0')).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'Invalid arguments, 3 mistakes:',
        '  --size: "0" is not allowed; use a number of at least 1',
        '  --page: "1" is not allowed; leave it out, --all reads every page',
        '  --size: "0" is not allowed; leave it out, --all reads every page',
        '',
      ].join('\n'),
    });
  });

  test('-o id of a query that picks nothing with an id says so; an empty list says nothing', async () => {
    expect(await run('list', 'ok', '-o', 'id', '--query', 'endpoints[].{called: name}')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The query picks nothing that has an id.\n',
    });
    const none = await run('list', 'ok', '-o', 'id', '--query', "endpoints[?status=='FAILED'].id");
    expect(none).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('-i and nothing to ask needs no terminal', async () => {
    expect(await run('list', 'ok', '-i', '-o', 'id')).toEqual({
      code: 0,
      stdout: 'e-1\n',
      stderr: '',
    });
  });

  test('a result that cannot be written: exit 3, and one sentence', async () => {
    const file = join(home, 'read-only');
    writeFileSync(file, '');
    const stdout = openSync(file, 'r');
    const program = fileURLToPath(new URL('../../bin/steproll.ts', import.meta.url));
    const args = [program, 'agent', 'runtime', 'endpoint', 'list', 'ok', '--endpoint-url', url];
    const child = spawn(process.execPath, args, { cwd: home, stdio: ['ignore', stdout, 'pipe'] });
    const { code, stderr } = await ended(child);
    closeSync(stdout);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^The result could not be written: EBADF.*\n$/),
    });
  });
});
