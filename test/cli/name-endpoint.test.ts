import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runHere } from './run-here.ts';

const FLEET = [
  { id: '3f2a', name: 'web-1', liveVersion: 1, targetVersion: 1, status: 'ACTIVE' },
  { id: '77b1', name: 'web-2', liveVersion: 1, targetVersion: 1, status: 'ACTIVE' },
  { id: '90c4', name: 'web-2', liveVersion: 1, targetVersion: 1, status: 'ACTIVE' },
  { id: 'web-9', name: 'odd', liveVersion: 1, targetVersion: 1, status: 'ACTIVE' },
  { id: '51d0', name: 'web-9', liveVersion: 1, targetVersion: 1, status: 'ACTIVE' },
];
const ASKED =
  /Stop web-1 \(3f2a\) of shop at http:.+\? Now version 1 is live, its status is ACTIVE\. There is no undo\. \[y\/N\] /;

const home = mkdtempSync(join(tmpdir(), 'steproll-names-'));
const config = join(home, 'steproll.config.json');
writeFileSync(config, '{}');
let requests: string[] = [];
/** What the list shows, from the first reading on; the last one stays. */
let lists = [FLEET];
const server = createServer(({ method, url = '' }, response) => {
  const isBroken = url.includes('/broken/') && method === 'GET';
  requests.push(`${method} ${url.replace(/\?page=.*/, '')}`);
  const [rows = FLEET] = method === 'GET' && lists.length > 1 ? lists.splice(0, 1) : lists;
  const body = method === 'GET' ? { listData: rows, totalItem: rows.length } : {};
  const isRoll = method === 'PUT';
  const headers = { 'content-type': 'application/json' };
  response.writeHead(isBroken ? 403 : 200, headers).end(isRoll ? '' : JSON.stringify(body));
});
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
  lists = [FLEET];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true });
});

function run(args: readonly string[], typed?: string) {
  const endpoint = ['agent', 'runtime', 'endpoint', ...args, '--endpoint-url', url];
  return runHere(endpoint, { HOME: home, STEPROLL_CONFIG: config }, typed);
}

const writes = () => requests.filter((request) => !request.startsWith('GET'));

describe('an endpoint is named', () => {
  test.each([
    ['its name', 'web-1', '3f2a'],
    ['its id', '3f2a', '3f2a'],
    ['what is said to be an id, although it is the name of another', 'id:web-9', 'web-9'],
    ['an id that the list does not show', 'id:new', 'new'],
  ])('by %s', async (_, said, id) => {
    const rolled = await run(['update', 'shop', said, '--version', '2', '-o', 'id']);
    expect(rolled).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' });
    const stopped = await run(['stop', 'shop', said, '-o', 'id']);
    expect(stopped).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' });
    expect(writes()).toEqual([
      `PUT /agent-runtimes/shop/endpoints/${id}?version=2`,
      `POST /agent-runtimes/shop/endpoints/${id}/stop`,
    ]);
  });

  test.each([
    ['a name that two have', 'web-2', '"id:77b1" and "id:90c4"'],
    ['the id of one and the name of another', 'web-9', '"id:web-9" and "id:51d0"'],
  ])('by %s: exit 2, both ids, and nothing is written', async (_, said, ids) => {
    for (const command of [['stop'], ['update', '--version', '2']]) {
      expect(await run([...command, 'shop', said])).toEqual({
        code: 2,
        stdout: '',
        stderr: `Invalid arguments, 1 mistake:\n  endpoint-id: "${said}" is not allowed; 2 endpoints are called so, ${ids}; name it so\n`,
      });
    }
    expect(writes()).toEqual([]);
  });

  test.each(['web-7', 'web-*', 'WEB-1'])('by nothing that is there, %s: exit 1', async (said) => {
    const { code, stdout, stderr } = await run(['stop', 'shop', said]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      `UpstreamNotFound: The list of shop has no endpoint with the name or id "${said}". The stop was not carried out.\n`,
    );
    const updated = await run(['update', 'shop', said, '--version', '2']);
    expect(updated.stderr).toContain(
      'The update was not carried out. To create one: "steproll agent runtime endpoint create shop --name NAME".\n',
    );
    expect(writes()).toEqual([]);
  });

  test('and the list cannot be read: nothing is written', async () => {
    const { code, stderr } = await run(['stop', 'broken', 'web-1']);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^UpstreamAuth: GET /),
    });
    expect(writes()).toEqual([]);
  });

  test('by no id behind id: exit 2, and nothing is sent', async () => {
    const { code, stderr } = await run(['stop', 'shop', 'id:']);
    expect(code).toBe(2);
    expect(stderr).toContain('endpoint-id: "id:" is not allowed; use an id behind id:');
    expect(requests).toEqual([]);
  });
});

test.each([
  ['--debug', false, true],
  ['--debug-answers', true, false],
])('%s shows whole answers: %j, and settings: %j', async (option, isWhole, hasSettings) => {
  const { stderr } = await run(['list', 'shop', option]);
  const [, answer = ''] = /^< (.*)$/m.exec(stderr) ?? [];
  expect(answer.endsWith('"totalItem":5}')).toBe(isWhole);
  expect(answer.length > 256).toBe(isWhole);
  expect(/^debug true/m.test(stderr)).toBe(hasSettings);
});

describe('a stop', () => {
  test('without a terminal does not ask, and says what it did', async () => {
    expect(await run(['stop', 'shop', 'web-1'])).toEqual({
      code: 0,
      stdout: 'Stopped web-1 (3f2a) of shop.\n',
      stderr: '',
    });
  });

  test('on a terminal asks for that endpoint, and a no stops nothing', async () => {
    const { code, stdout, stderr } = await run(['stop', 'shop', 'web-1'], 'n\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(ASKED);
    expect(stderr).toMatch(/Not stopped\.\n$/);
    expect(writes()).toEqual([]);
  });

  test('on a terminal stops it after a yes', async () => {
    const { code, stdout, stderr } = await run(['stop', 'shop', '3f2a'], 'y\n');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Stopped web-1 (3f2a) of shop.\n' });
    expect(stderr).toMatch(ASKED);
    expect(writes()).toEqual(['POST /agent-runtimes/shop/endpoints/3f2a/stop']);
  });

  test.each([
    ['went live on another version', { liveVersion: 2 }, 'web-1 (3f2a). Now version 2 is live'],
    ['is another one by now', { id: 'a0a0' }, 'web-1 (a0a0).'],
  ])('after a yes is not sent when the endpoint %s', async (_, change, told) => {
    lists = [FLEET, FLEET.map((row) => (row.name === 'web-1' ? { ...row, ...change } : row))];
    const { code, stdout, stderr } = await run(['stop', 'shop', 'web-1'], 'y\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      `Not stopped, because it has changed since the question: it is ${told}`,
    );
    expect(writes()).toEqual([]);
  });

  test('on a terminal with --yes does not ask', async () => {
    const { code, stderr } = await run(['stop', 'shop', 'web-1', '--yes'], '');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
