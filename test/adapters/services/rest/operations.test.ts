import { describe, expect, test } from '@jest/globals';
import { wireMappingSchema } from '../../../../lib/contract/service/wire.ts';
import {
  clientOf,
  OPERATIONS,
  rowOf,
  run,
  sendJson,
  startHttpServer,
  startSocketServer,
  thrownBy,
  WRITES,
} from '../../http/fault-server.ts';

describe('create', () => {
  test.each([
    ['with a version', { name: 'canary', version: 2 }],
    ['without one', { name: 'canary' }],
  ])('%s posts JSON and answers the endpoint', async (_, input) => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, rowOf('e9', { name: 'canary', liveVersion: 0 }), 201);
    });
    const endpoint = await clientOf(server.url).create('r1', input);
    expect(endpoint).toMatchObject({ id: 'e9', name: 'canary', liveVersion: 0, replicas: null });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/agent-runtimes/r1/endpoints',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      },
    ]);
  });

  test('without the endpoint in the answer is in doubt', async () => {
    const server = await startHttpServer((_request, response) => response.writeHead(201).end());
    expect(await thrownBy(clientOf(server.url).create('r1', { name: 'n' }))).toMatchObject({
      name: 'OutcomeUnknown',
      httpStatus: 201,
    });
  });
});

describe('roll', () => {
  test('puts the version in the query, without a body, never with PATCH', async () => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, rowOf('e1', { targetVersion: 3 }));
    });
    const endpoint = await clientOf(`${server.url}/runtime`).roll('r1', 'e1', 3);
    expect(endpoint).toMatchObject({ id: 'e1', targetVersion: 3, liveVersion: 1 });
    const [request] = server.received;
    expect(request).toMatchObject({
      method: 'PUT',
      url: '/runtime/agent-runtimes/r1/endpoints/e1?version=3',
      body: '',
    });
    expect(request?.headers).not.toHaveProperty('content-type');
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('H08: answers what the service says, also when the target did not change', async () => {
    const server = await startHttpServer((_request, response) => sendJson(response, rowOf('e1')));
    expect(await clientOf(server.url).roll('r1', 'e1', 3)).toMatchObject({ targetVersion: 1 });
  });

  test.each([200, 202, 204])('an empty %d is a yes without the endpoint', async (status) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end();
    });
    expect(await clientOf(server.url).roll('r1', 'e1', 3)).toBeNull();
  });
});

describe('stop', () => {
  test('posts without a body', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    await clientOf(server.url).stop('r1', 'e1');
    const [request] = server.received;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/agent-runtimes/r1/endpoints/e1/stop',
      body: '',
    });
    expect(request?.headers).not.toHaveProperty('content-type');
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
  });

  test.each([
    [200, 'OK'],
    [202, '{"anything":1}'],
    [204, ''],
  ])('takes %d %j for a yes', async (status, body) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status).end(body);
    });
    await expect(clientOf(server.url).stop('r1', 'e1')).resolves.toBeUndefined();
  });
});

describe('definite answers', () => {
  test.each(
    (
      [
        [400, 'UpstreamRejected'],
        [403, 'UpstreamAuth'],
        [404, 'UpstreamNotFound'],
        [409, 'UpstreamConflict'],
        [423, 'UpstreamConflict'],
        [418, 'UpstreamRejected'],
        [422, 'UpstreamRejected'],
      ] as const
    ).flatMap(([status, name]) =>
      OPERATIONS.map((operation) => [status, operation, name] as const),
    ),
  )('H09, H18, H19, H20: %d on %s is %s, and not tried again', async (status, operation, name) => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { message: 'no', token: 'abc123' }, status);
    });
    // A page size that is not refused is left as it is.
    const error = await thrownBy(run(clientOf(server.url, { pageSize: 10 }), operation));
    expect(error).toMatchObject({ name, httpStatus: status });
    const { method, url } = server.received[0] ?? {};
    expect(error.message).toBe(`${method} ${url}: ${status} {"message":"no","token":[hidden]}`);
    expect(server.received).toHaveLength(1);
  });

  test('which statuses mean later is a setting', async () => {
    const wire = wireMappingSchema.parse({ laterStatuses: [400] });
    const answers = [400, 409];
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { message: 'no' }, answers.shift());
    });
    const roll = () => thrownBy(clientOf(server.url, { wire }).roll('r1', 'e1', 2));
    expect(await roll()).toMatchObject({ name: 'UpstreamConflict', httpStatus: 400 });
    expect(await roll()).toMatchObject({ name: 'UpstreamRejected', httpStatus: 409 });
  });

  test.each(
    [408, 500, 502, 503, 504].flatMap((status) => WRITES.map((write) => [status, write] as const)),
  )('H11, H12, H13: %d on %s is in doubt, and sent once', async (status, operation) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status, { 'retry-after': '0' }).end('oops');
    });
    const error = await thrownBy(run(clientOf(server.url), operation));
    expect(error).toMatchObject({ name: 'OutcomeUnknown', httpStatus: status });
    expect(error.message).toMatch(/^(POST|PUT) .*: \d+ oops$/);
    expect(server.received).toHaveLength(1);
  });
});

describe('H31: ids', () => {
  test('that cannot stand in a path are refused before anything is sent', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    const client = clientOf(server.url);
    const refusal = { name: 'InvalidEndpointId' };
    expect(await thrownBy(client.stop('r1', '..'))).toMatchObject(refusal);
    expect(await thrownBy(client.roll('r1', '.', 2))).toMatchObject(refusal);
    expect(await thrownBy(client.roll('r\n1', 'e1', 2))).toMatchObject(refusal);
    expect(await thrownBy(client.create('', { name: 'n' }))).toMatchObject(refusal);
    expect(await thrownBy(client.list('\ud800'))).toMatchObject(refusal);
    expect(await thrownBy(client.listPage('..', { page: 1, size: 1 }))).toMatchObject(refusal);
    expect(server.received).toHaveLength(0);
  });

  test('that are unusual arrive as they are', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    await clientOf(server.url).stop('a/b', '%2f é');
    expect(server.received[0]?.url).toBe('/agent-runtimes/a%2Fb/endpoints/%252f%20%C3%A9/stop');
  });
});

describe('the JSON names are configuration', () => {
  test('a list under other names', async () => {
    const wire = wireMappingSchema.parse({
      endpoint: { id: 'endpointId', replicas: 'replicaCount', version: null },
      page: {
        endpoints: 'items',
        totalEndpoints: 'total',
        page: null,
        size: null,
        totalPages: null,
      },
    });
    const server = await startHttpServer((_request, response) => {
      sendJson(response, {
        items: [{ endpointId: 'e1', replicaCount: 2, version: 9, liveVersion: 3, id: 5 }],
        total: 1,
      });
    });
    expect(await clientOf(server.url, { wire }).list('r1')).toEqual([
      {
        ...{ id: 'e1', name: null, version: null, targetVersion: null, liveVersion: 3 },
        ...{ replicas: 2, url: null, status: null, statusReason: null },
      },
    ]);
  });

  test('a bare array, read until a page is empty', async () => {
    const wire = wireMappingSchema.parse({ page: { endpoints: null } });
    const server = await startHttpServer(({ query }, response) => {
      sendJson(response, query.get('page') === '1' ? [rowOf('e1'), rowOf('e2')] : []);
    });
    expect(await clientOf(server.url, { wire }).list('r1')).toHaveLength(2);
    expect(server.received).toHaveLength(2);
  });
});

describe('exchanges can be watched', () => {
  test('with the start of the bodies, without secrets', async () => {
    const exchanges: unknown[] = [];
    const server = await startHttpServer((_request, response, index) => {
      const body = { note: `the-token was used, ${'x'.repeat(300)}` };
      sendJson(response, index === 0 ? body : rowOf('e1'), index === 0 ? 429 : 200);
    });
    const secret = { read: async () => 'the-token' };
    const client = clientOf(server.url, {
      auth: { kind: 'bearer', secret },
      onExchange: (exchange) => exchanges.push(exchange),
    });
    const body = { name: 'my-secret=abc123' };
    await expect(client.create('r1', body)).rejects.toThrow();
    await client.create('r1', body);
    const exchange = {
      method: 'POST',
      origin: server.url,
      path: '/agent-runtimes/r1/endpoints',
      requestHeaders: expect.objectContaining({ authorization: '[hidden]' }),
      requestBody: '{"name":"my-secret=[hidden]"}',
      error: null,
      milliseconds: expect.any(Number),
    };
    expect(exchanges).toEqual([
      {
        ...exchange,
        status: 429,
        answerExcerpt: expect.stringMatching(/^{"note":"\[hidden\] was used, x+…$/),
      },
      { ...exchange, status: 200, answerExcerpt: JSON.stringify(rowOf('e1')) },
    ]);
    expect((exchanges[0] as { answerExcerpt: string }).answerExcerpt).toHaveLength(256);
    expect(JSON.stringify(exchanges)).not.toMatch(/the-token|abc123/);
  });

  test('without bodies where there are none', async () => {
    const exchanges: unknown[] = [];
    const onExchange = (exchange: unknown) => exchanges.push(exchange);
    const server = await startHttpServer((_request, response) => response.end());
    await clientOf(server.url, { onExchange }).stop('r1', 'e1');
    expect(exchanges).toMatchObject([{ status: 200, requestBody: null, answerExcerpt: '' }]);
    const { url } = await startSocketServer((socket) => socket.end());
    await thrownBy(clientOf(url, { onExchange }).stop('r1', 'e1'));
    expect(exchanges[1]).toMatchObject({
      ...{ status: null, error: 'UND_ERR_SOCKET', requestBody: null, answerExcerpt: null },
    });
  });
});
