import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ended } from '../program-process.ts';
import { startHere } from '../run-here.ts';

// A service with JSON names of its own.

const home = mkdtempSync(join(tmpdir(), 'steproll-names-'));
const file = join(home, 'names.json');
const writes: string[] = [];
let service: Server;
let url: string;
let version = 1;

beforeAll(async () => {
  service = createServer((request, answer) => {
    const asked = new URL(request.url ?? '', 'http://service');
    answer.setHeader('content-type', 'application/json');
    if (request.method === 'PUT') {
      writes.push(asked.pathname);
      version = Number(asked.searchParams.get('version'));
    }
    const row = { id: 'a', label: 'web-1', want: version, have: version };
    const page = { listData: [row], totalItem: 1 };
    const body = request.method === 'GET' ? page : { data: row };
    answer.end(JSON.stringify(asked.pathname.startsWith('/wrapped') ? { result: body } : body));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
beforeEach(() => {
  writes.length = 0;
});
afterAll(() => {
  service.close();
  rmSync(home, { recursive: true });
});

/** The same service, all of whose answers are in one more envelope. */
async function inEnvelope(wire: object, ...args: readonly string[]) {
  const endpoint = { name: 'label', targetVersion: 'want', liveVersion: 'have', replicas: null };
  const { page = {}, ...ofEndpoint } = wire as { readonly page?: object };
  const config = { endpoint: { ...endpoint, ...ofEndpoint }, page };
  const runtimes = { shop: {} };
  const endpointUrl = `${url}/wrapped`;
  writeFileSync(file, JSON.stringify({ endpointUrl, wire: config, runtimes }));
  return ended(startHere(home, [...args, '--config', file]));
}

function run(wire: object, ...args: readonly string[]) {
  const endpoint = { name: 'label', ...wire };
  const runtimes = { shop: {} };
  writeFileSync(file, JSON.stringify({ endpointUrl: url, wire: { endpoint }, runtimes }));
  return ended(startHere(home, [...args, '--config', file]));
}

const START = ['rollout', 'start', 'shop', '--version', '2', '--bake', '0', '--poll', '1', '--yes'];

test.each([
  [['config', 'check'], 2, 'stdout'],
  [['rollout', 'plan', 'shop', '--version', '2'], 3, 'stderr'],
  [START, 3, 'stdout'],
] as const)('%j says which keys came, and writes nothing', async (args, code, where) => {
  const ended = await run({ targetVersion: 'want' }, ...args);
  expect({ code: ended.code, writes }).toEqual({ code, writes: [] });
  expect(ended[where].replaceAll(/\s+/g, ' ')).toContain(
    'No endpoint of the list has "liveVersion" (wire.endpoint.liveVersion), so a rollout could not see a version go live. The keys that came are "id", "label", "want", "have": say with wire which of them it is.',
  );
});

test('a roll that is answered in an envelope is called a yes that cannot be read, and has arrived', async () => {
  const { code, stderr } = await run({ targetVersion: 'want', liveVersion: 'have' }, ...START);
  expect({ code, writes }).toEqual({ code: 0, writes: ['/agent-runtimes/shop/endpoints/a'] });
  expect(stderr).toContain('web-1 was asked to roll, with a yes that cannot be read: the list ');
  expect(stderr).not.toContain('no answer');
});

describe('answers in an envelope', () => {
  const whole = { page: { in: 'result' }, in: 'result.data' };
  const UPDATE = ['agent', 'runtime', 'endpoint', 'update', 'shop', 'a', '--version'];

  test('are read, of pages and of single endpoints', async () => {
    const updated = await inEnvelope(whole, ...UPDATE, '4', '-o', 'json');
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(updated.stdout)).toMatchObject({ id: 'a', targetVersion: 4 });
    const [start, ...rest] = START;
    const { code, stderr } = await inEnvelope(whole, start as string, ...rest.with(3, '5'));
    expect(code).toBe(0);
    expect(stderr).not.toContain('cannot be read');
  });

  test('that are another one are named with what came', async () => {
    const wrong = { ...whole, page: { in: 'reslut' } };
    const { code, stderr } = await inEnvelope(wrong, 'rollout', 'plan', 'shop', '--version', '9');
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      '"reslut" (wire.page.in) is missing; the keys that came are "result"',
    );
  });

  test.each(['', 'a..b', 'toString'])('%j names no object', async (name) => {
    const { code, stderr } = await inEnvelope({ in: name }, 'rollout', 'plan', 'shop');
    expect(code).toBe(2);
    expect(stderr).toContain('wire.endpoint.in');
  });
});
