import { afterEach, describe, expect, test } from '@jest/globals';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import {
  type EndpointServer,
  type EndpointServerOptions,
  type RequestLine,
  startEndpointServer,
} from '../../lib/simulation/server.ts';
import { send } from './send.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const SHOP = '/agent-runtimes/shop/endpoints';
const json = { 'content-type': 'application/json' };

const open = new Set<EndpointServer>();
afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()));
  open.clear();
});

async function start(scenario: object = {}, options: Partial<EndpointServerOptions> = {}) {
  let now = START;
  const log: RequestLine[] = [];
  const server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', endpoints: 12 }], ...scenario }),
    port: 0,
    clock: { now: () => now },
    onRequest: (line) => log.push(line),
    ...options,
  });
  open.add(server);
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await send(server.url, {
      method,
      path,
      ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
    });
    return { ...answer, json: answer.text === '' ? undefined : JSON.parse(answer.text) };
  };
  const firstId = async () => (await call('GET', SHOP)).json.listData[0].id as string;
  const later = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { ...server, log, call, firstId, later };
}

describe('list', () => {
  test('without a query answers the first 10', async () => {
    const { call } = await start();
    const { status, headers, json: page } = await call('GET', SHOP);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(page).toMatchObject({ page: 1, pageSize: 10, totalPage: 2, totalItem: 12 });
    expect(page.listData).toHaveLength(10);
  });

  test.each([
    ['page=2', { page: 2, pageSize: 10 }, 2],
    ['page=2&size=5', { page: 2, pageSize: 5, totalPage: 3 }, 5],
    ['page=99', { page: 99, totalPage: 2, totalItem: 12 }, 0],
    ['size=1000', { pageSize: 1000, totalPage: 1 }, 12],
    ['colour=red&page=1', { page: 1 }, 10],
    ['page=9007199254740991&size=9007199254740991', { totalPage: 1 }, 0],
  ])('?%s', async (query, page, rows) => {
    const { call } = await start();
    const answer = await call('GET', `${SHOP}?${query}`);
    expect(answer.json).toMatchObject(page);
    expect(answer.json.listData).toHaveLength(rows);
  });

  test.each(['page=0', 'page=-1', 'page=1.5', 'page=1e3', 'page=', 'page=x', 'page=1&page=2'])(
    '?%s is refused',
    async (query) => {
      const { call } = await start();
      const { status, json: body } = await call('GET', `${SHOP}?${query}`);
      expect(status).toBe(400);
      expect(body.error.code).toBe('BadRequest');
      expect(body.error.message).toMatch(/page: .* is not allowed; use a whole number from 1/);
    },
  );

  test('every fault of a query is told at once', async () => {
    const { call } = await start();
    const { json: body } = await call('GET', `${SHOP}?page=0&size=x`);
    expect(body.error.message).toMatch(/2 mistakes:\n {2}page: .*\n {2}size: /);
  });

  test('H03: the scenario may cap the page size', async () => {
    const { call } = await start({ maxPageSize: 5 });
    const { json: page } = await call('GET', `${SHOP}?size=100`);
    expect(page).toMatchObject({ pageSize: 5, totalPage: 3 });
    expect(page.listData).toHaveLength(5);
  });

  test('a runtime without endpoints has 0 pages', async () => {
    const { call } = await start({ runtimes: [{ id: 'shop', endpoints: 0 }] });
    const { json: page } = await call('GET', SHOP);
    expect(page).toEqual({ listData: [], page: 1, pageSize: 10, totalPage: 0, totalItem: 0 });
  });

  test('HEAD answers the headers alone', async () => {
    const { call } = await start();
    expect(await call('HEAD', SHOP)).toMatchObject({ status: 200, text: '' });
  });
});

describe('create', () => {
  test('answers the endpoint, with the version asked for or the newest', async () => {
    const { call } = await start({ runtimes: [{ id: 'shop', version: 4, endpoints: 1 }] });
    const created = await call('POST', SHOP, { name: 'web', version: 2 });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ name: 'web', targetVersion: 2, liveVersion: 0 });
    const newest = await call('POST', SHOP, { name: 'web-2' });
    expect(newest.json).toMatchObject({ targetVersion: 4 });
    expect(await call('POST', SHOP, { name: 'web' })).toMatchObject({ status: 409 });
  });

  test.each([
    ['{', 'not JSON'],
    ['', 'not JSON'],
    ['[]', 'an empty list is not allowed; use an object'],
    ['{}', 'name: missing'],
    ['{"name":""}', 'name: "" is not allowed'],
    ['{"name":"a","version":"2"}', 'version: "2" is not allowed'],
    ['{"name":"a","version":0}', 'version: 0 is not allowed'],
    ['{"name":"a","version":1.5}', 'version: 1.5 is not allowed'],
    ['{"name":"a","version":1e400}', 'version: Infinity is not allowed'],
    ['{"name":"a","version":9007199254740993}', 'version: 9007199254740992 is not allowed'],
    ['{"name":"a","version":null}', 'version: null is not allowed'],
    ['{"name":"a","verison":2}', 'verison: unknown key'],
    ['{"name":"a","__proto__":{}}', '__proto__: unknown key'],
  ])('C01: %j is refused', async (body, message) => {
    const { url, call } = await start();
    const answer = await send(url, { method: 'POST', path: SHOP, headers: json, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.message).toContain(message);
    expect((await call('GET', SHOP)).json.totalItem).toBe(12);
  });

  test('without any body is refused', async () => {
    const { call } = await start();
    expect(await call('POST', SHOP)).toMatchObject({ status: 400 });
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'nonsense',
    undefined,
  ])('L02: the content type %s is refused', async (type) => {
    const { url, call } = await start();
    const headers = type === undefined ? {} : { 'content-type': type };
    const body = '{"name":"a"}';
    const answer = await send(url, { method: 'POST', path: SHOP, headers, body });
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.text).error.code).toBe('UnsupportedMediaType');
    expect((await call('GET', SHOP)).json.totalItem).toBe(12);
  });
});

describe('roll', () => {
  test('answers the endpoint, which comes live in its time', async () => {
    const { call, firstId, later } = await start();
    const id = await firstId();
    const rolled = await call('PUT', `${SHOP}/${id}?version=3`);
    expect(rolled.status).toBe(200);
    expect(rolled.headers.deprecation).toBeUndefined();
    expect(rolled.json).toMatchObject({ id, version: 3, targetVersion: 3, liveVersion: 1 });
    later(2);
    const { json: page } = await call('GET', SHOP);
    expect(page.listData[0]).toMatchObject({ id, targetVersion: 3, liveVersion: 3 });
  });

  test('PATCH does the same, and says that it is deprecated', async () => {
    const { call, firstId } = await start();
    const {
      status,
      headers,
      json: row,
    } = await call('PATCH', `${SHOP}/${await firstId()}?version=3`);
    expect(status).toBe(200);
    expect(row).toMatchObject({ targetVersion: 3 });
    expect(headers.deprecation).toMatch(/^@\d+$/);
  });

  test.each([
    '',
    'version=',
    'version=0',
    'version=-1',
    'version=1.5',
    'version=%2B1',
    'version=1e400',
    'version=9007199254740992',
    'version=2&version=3',
  ])('C01: ?%s is refused', async (query) => {
    const { call, firstId } = await start();
    const answer = await call('PUT', `${SHOP}/${await firstId()}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toContain('version: ');
  });

  test('takes an empty body of any length header, and no other', async () => {
    const { url, call, firstId } = await start();
    const path = `${SHOP}/${await firstId()}?version=3`;
    const headers = { ...json, 'content-length': '0' };
    expect(await send(url, { method: 'PUT', path, headers })).toMatchObject({ status: 200 });
    expect(await call('PUT', path, { version: 4 })).toMatchObject({ status: 400 });
  });

  test('a refusal of the scenario is answered with its status', async () => {
    const faults = [{ endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 503, times: 1 }];
    const { call, firstId } = await start({ faults });
    const path = `${SHOP}/${await firstId()}?version=3`;
    const refused = await call('PUT', path);
    expect(refused.status).toBe(503);
    expect(refused.json.error).toEqual({
      code: 'ServiceUnavailable',
      message: 'the scenario refuses to roll "endpoint-01" to 3',
    });
    expect(await call('PUT', path)).toMatchObject({ status: 200 });
  });
});

describe('stop', () => {
  test('answers 200 with an empty body, twice', async () => {
    const { call, firstId } = await start();
    const path = `${SHOP}/${await firstId()}`;
    for (const _ of [1, 2]) {
      const { status, text, headers } = await call('POST', `${path}/stop`);
      expect({ status, text, length: headers['content-length'] }).toEqual({
        status: 200,
        text: '',
        length: '0',
      });
    }
    const { json: page } = await call('GET', SHOP);
    expect(page.listData[0]).toMatchObject({ status: 'STOPPED', currentReplicaCount: 0 });
    expect(await call('PUT', `${path}?version=2`)).toMatchObject({ status: 409 });
  });

  test('takes no body', async () => {
    const { call, firstId } = await start();
    const answer = await call('POST', `${SHOP}/${await firstId()}/stop`, {});
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { message: 'send no request body' } },
    });
    expect((await call('GET', SHOP)).json.listData[0].status).toBe('ACTIVE');
  });

  test('L02: a text/plain body stops nothing', async () => {
    const { url, call, firstId } = await start();
    const path = `${SHOP}/${await firstId()}/stop`;
    const headers = { 'content-type': 'text/plain' };
    const answer = await send(url, { method: 'POST', path, headers, body: 'x' });
    expect(answer.status).toBe(415);
    expect((await call('GET', SHOP)).json.listData[0].status).toBe('ACTIVE');
  });
});

describe('paths', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/agent-runtimes'],
    ['GET', '/agent-runtimes/nope/endpoints'],
    ['GET', '/agent-runtimes//endpoints'],
    ['PUT', `${SHOP}/?version=1`],
    ['POST', `${SHOP}/nope/stop`],
    ['PUT', `${SHOP}/nope?version=1`],
    ['PUT', `${SHOP}/${'x'.repeat(5_000)}?version=1`],
    ['POST', `${SHOP}/nope/start`],
  ])('%s %s is not found', async (method, path) => {
    const { call } = await start();
    const { status, json: body } = await call(method, path);
    expect(status).toBe(404);
    expect(body.error).toEqual({ code: 'NotFound', message: expect.any(String) });
  });

  test.each([
    ['DELETE', SHOP, 'GET, HEAD, POST'],
    ['OPTIONS', SHOP, 'GET, HEAD, POST'],
    ['GET', `${SHOP}/some-id`, 'PUT, PATCH'],
    ['DELETE', `${SHOP}/some-id`, 'PUT, PATCH'],
    ['GET', `${SHOP}/some-id/stop`, 'POST'],
    ['PUT', `${SHOP}/some-id/stop`, 'POST'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const { call } = await start();
    const { status, headers, json: body } = await call(method, path);
    expect(status).toBe(405);
    expect(headers.allow).toBe(allow);
    expect(body.error.code).toBe('MethodNotAllowed');
  });

  test.each(['a/b', 'é', 'a%2Fb', '..', '.', '?x=1#y', 'a b+c', '%', '/etc/passwd'])(
    'H31: the runtime id %s arrives encoded and is decoded once',
    async (id) => {
      const { call } = await start({ runtimes: [{ id, endpoints: 1 }] });
      const path = `/agent-runtimes/${encodeURIComponent(id).replaceAll('.', '%2E')}/endpoints`;
      const { status, json: page } = await call('GET', path);
      expect(status).toBe(200);
      expect(page.listData[0].agentRuntimeId).toBe(id);
    },
  );

  test.each(['%', '%z', '%zz', '%2', '%ff', '%c3%28'])(
    'a path with %s is refused as malformed, and told to the log',
    async (id) => {
      const { call, log } = await start();
      const path = `/agent-runtimes/${id}/endpoints`;
      const { status, json: body } = await call('GET', path);
      expect(status).toBe(400);
      expect(body.error.code).toBe('BadRequest');
      expect(log).toEqual([{ method: 'GET', url: path, status: 400, bodyBytes: 0 }]);
    },
  );

  test.each([
    '/%2e%2e/agent-runtimes/shop/endpoints',
    '/x/%2e%2e/agent-runtimes/shop/endpoints',
    '/x/../agent-runtimes/shop/endpoints',
    '/agent-runtimes/nope/%2e%2e/shop/endpoints',
    '/agent-runtimes%2Fshop%2Fendpoints',
    '//agent-runtimes/shop/endpoints',
  ])('L08: %s is no way to another route', async (path) => {
    const { call } = await start();
    expect(await call('GET', path)).toMatchObject({ status: 404 });
  });

  test('a prefix comes before every route, and is part of the URL', async () => {
    const { url, call } = await start({}, { pathPrefix: '/runtime' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/runtime$/);
    expect((await fetch(`${url}${SHOP}`)).status).toBe(200);
    expect(await call('GET', SHOP)).toMatchObject({ status: 404 });
  });
});

test('every request is told: what was asked, what was answered, how long its body was', async () => {
  const { call, log, firstId } = await start();
  const id = await firstId();
  log.length = 0;
  await call('POST', SHOP, { name: 'é' });
  await call('PUT', `${SHOP}/${id}?version=2`);
  await call('GET', '/%2e%2e/x?y=%41');
  await call('POST', `${SHOP}/${id}/stop`);
  expect(log).toEqual([
    { method: 'POST', url: SHOP, status: 201, bodyBytes: 13 },
    { method: 'PUT', url: `${SHOP}/${id}?version=2`, status: 200, bodyBytes: 0 },
    { method: 'GET', url: '/%2e%2e/x?y=%41', status: 404, bodyBytes: 0 },
    { method: 'POST', url: `${SHOP}/${id}/stop`, status: 200, bodyBytes: 0 },
  ]);
});
