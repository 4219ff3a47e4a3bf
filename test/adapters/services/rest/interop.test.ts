import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { wireMappingSchema } from '../../../../lib/contract/service/wire.ts';
import { clientOf, thrownBy } from '../../http/fault-server.ts';

/**
 * A service of another shape, written from the interface alone: other names, a path prefix, rows in
 * a bare page of `items` and `total`, other success statuses, empty answers.
 */
const WIRE = wireMappingSchema.parse({
  endpoint: {
    id: 'endpoint_id',
    name: 'label',
    version: null,
    targetVersion: 'wanted',
    liveVersion: 'serving',
    replicas: null,
    url: null,
    status: 'state',
  },
  page: { endpoints: 'items', page: null, size: null, totalPages: null, totalEndpoints: 'total' },
});

interface Row {
  readonly endpoint_id: string;
  readonly label: string;
  wanted: number;
  serving: number | null;
  state: string;
}

let rows: Row[] = [];
/** Method and path of every request, byte by byte as they came. */
let paths: string[] = [];
const server = createServer(answer);

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));

afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  rows = [rowOf('a/b'), rowOf('é'), rowOf('%2f'), rowOf('web 1?x#y')];
  paths = [];
});

test('every endpoint of a list under other names, page by page', async () => {
  const endpoints = await serviceClient(2).list('shop/eu');
  expect(endpoints.map(({ id }) => id)).toEqual(['a/b', 'é', '%2f', 'web 1?x#y']);
  expect(endpoints[0]).toEqual({
    id: 'a/b',
    name: 'a/b',
    version: null,
    targetVersion: 1,
    liveVersion: 1,
    replicas: null,
    url: null,
    status: 'UP',
    statusReason: null,
  });
  expect(paths).toEqual([
    'GET /api/v2/agent-runtimes/shop%2Feu/endpoints?page=1&size=2',
    'GET /api/v2/agent-runtimes/shop%2Feu/endpoints?page=2&size=2',
  ]);
});

test('a create that is answered with 201', async () => {
  const created = await serviceClient().create('shop/eu', { name: 'web/5', version: 7 });
  expect(created).toMatchObject({
    id: 'web/5',
    targetVersion: 7,
    liveVersion: null,
    status: 'NEW',
  });
  expect(rows.at(-1)).toMatchObject({ label: 'web/5', wanted: 7 });
  expect(paths).toEqual(['POST /api/v2/agent-runtimes/shop%2Feu/endpoints']);
});

test.each([
  ['a/b', 'a%2Fb'],
  ['é', '%C3%A9'],
  ['%2f', '%252f'],
  ['web 1?x#y', 'web%201%3Fx%23y'],
])('%s is rolled, answered with 202 and nothing, and stopped with 204', async (id, segment) => {
  const client = serviceClient();
  expect(await client.roll('shop/eu', id, 9)).toBeNull();
  await expect(client.stop('shop/eu', id)).resolves.toBeUndefined();
  expect(await client.list('shop/eu')).toContainEqual(
    expect.objectContaining({ id, targetVersion: 9, liveVersion: 1, status: 'DOWN' }),
  );
  expect(paths.slice(0, 2)).toEqual([
    `PUT /api/v2/agent-runtimes/shop%2Feu/endpoints/${segment}?version=9`,
    `POST /api/v2/agent-runtimes/shop%2Feu/endpoints/${segment}/stop`,
  ]);
});

test('H31: an id that would address something else never leaves', async () => {
  const client = serviceClient();
  expect(await thrownBy(client.roll('shop/eu', '..', 2))).toMatchObject({
    name: 'InvalidEndpointId',
  });
  expect(await thrownBy(client.stop('..', 'a/b'))).toMatchObject({ name: 'InvalidEndpointId' });
  expect(paths).toEqual([]);
});

test('an endpoint that the service does not know', async () => {
  expect(await thrownBy(serviceClient().stop('shop/eu', 'a'))).toMatchObject({
    name: 'UpstreamNotFound',
    httpStatus: 404,
  });
});

function serviceClient(pageSize = 100): ReturnType<typeof clientOf> {
  const { port } = server.address() as AddressInfo;
  return clientOf(`http://127.0.0.1:${port}/api/v2`, { wire: WIRE, pageSize });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request;
  paths.push(`${method} ${url}`);
  const [path = '', query] = url.split('?');
  const [, api, version, collection, runtime, , segment, action] = path.split('/');
  if (`${api}/${version}/${collection}/${runtime}` !== 'api/v2/agent-runtimes/shop%2Feu') {
    response.writeHead(404).end();
  } else if (segment === undefined) {
    await answerForRuntime(request, response, new URLSearchParams(query));
  } else {
    const row = rows.find((one) => one.endpoint_id === decodeURIComponent(segment));
    response.writeHead(change(row, action, new URLSearchParams(query))).end();
  }
}

async function answerForRuntime(
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  if (request.method === 'GET') {
    const size = Number(query.get('size'));
    const start = (Number(query.get('page')) - 1) * size;
    const items = rows.slice(start, start + size);
    response.end(JSON.stringify({ items, total: rows.length }));
    return;
  }
  const chunks = await request.toArray();
  const { name, version } = JSON.parse(Buffer.concat(chunks).toString());
  const row = { ...rowOf(name), wanted: version, serving: null, state: 'NEW' };
  rows.push(row);
  response.writeHead(201).end(JSON.stringify(row));
}

/** Changes the row, answers the status. */
function change(row: Row | undefined, action: string | undefined, query: URLSearchParams): number {
  if (row === undefined) {
    return 404;
  }
  if (action === 'stop') {
    row.state = 'DOWN';
    return 204;
  }
  row.wanted = Number(query.get('version'));
  return 202;
}

function rowOf(id: string): Row {
  return { endpoint_id: id, label: id, wanted: 1, serving: 1, state: 'UP' };
}
