import { describe, expect, test } from '@jest/globals';
import type { Auth } from '../../../lib/adapters/credentials/authorization.ts';
import type { SecretStore } from '../../../lib/adapters/credentials/secrets.ts';
import {
  clientOf,
  OPERATIONS,
  pageOf,
  type ReceivedRequest,
  rowsOf,
  run,
  sendJson,
  startHttpServer,
  startSocketServer,
  thrownBy,
  WRITES,
} from '../http/fault-server.ts';
import { createTestClock, realClock } from '../http/test-clock.ts';

interface WatchedSecret extends SecretStore {
  /** `fresh` of every read. */
  readonly reads: readonly boolean[];
}

function secretOf(...values: readonly string[]): WatchedSecret {
  const reads: boolean[] = [];
  return {
    reads,
    async read({ fresh }) {
      reads.push(fresh);
      return values[Math.min(reads.length, values.length) - 1] ?? '';
    },
  };
}

const CLIENT = JSON.stringify({ clientId: 'steproll', clientSecret: 'sesame:open & shut' });
const authorizationOf = ({ headers }: ReceivedRequest) => headers.authorization;

/** A service that takes one token only. */
function startService(isGood: (authorization: unknown) => boolean) {
  return startHttpServer((request, response) => {
    if (!isGood(request.headers.authorization)) {
      sendJson(response, { error: `Bearer is bad: ${request.headers.authorization}` }, 401);
    } else if (request.method === 'GET') {
      sendJson(response, pageOf(rowsOf(500), request.query));
    } else {
      sendJson(response, rowsOf(1)[0]);
    }
  });
}

function startTokenServer(lifetime: { expires_in?: number } = { expires_in: 3_600 }) {
  return startHttpServer((_request, response, index) => {
    sendJson(response, { access_token: `token-${index + 1}`, token_type: 'bearer', ...lifetime });
  });
}

describe('a bearer token', () => {
  test('is sent with every call and read once', async () => {
    const service = await startService((value) => value === 'Bearer good');
    const secret = secretOf('good');
    const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
    for (const operation of OPERATIONS) {
      await run(client, operation);
    }
    expect(new Set(service.received.map(authorizationOf))).toEqual(new Set(['Bearer good']));
    expect(secret.reads).toEqual([false]);
  });

  test('H17: 401 on a list reads the secret afresh and tries once more', async () => {
    const service = await startService((value) => value === 'Bearer new');
    const secret = secretOf('old', 'new');
    await clientOf(service.url, { auth: { kind: 'bearer', secret }, pageSize: 500 }).list('r1');
    expect(service.received.map(authorizationOf)).toEqual(['Bearer old', 'Bearer new']);
    expect(secret.reads).toEqual([false, true]);
  });

  test.each(WRITES)(
    'H17: 401 on %s is not sent again, and the next call has another token',
    async (operation) => {
      const service = await startService((value) => value === 'Bearer new');
      const secret = secretOf('old', 'new');
      const client = clientOf(service.url, { auth: { kind: 'bearer', secret }, pageSize: 500 });
      expect(await thrownBy(run(client, operation))).toMatchObject({ name: 'UpstreamAuth' });
      expect(service.received.map(authorizationOf)).toEqual(['Bearer old']);
      await run(client, operation);
      expect(service.received.map(authorizationOf)).toEqual(['Bearer old', 'Bearer new']);
      expect(secret.reads).toEqual([false, true]);
    },
  );

  test.each([
    ['list', 2],
    ['create', 1],
    ['roll', 1],
    ['stop', 1],
  ] as const)(
    'H18: 401 for ever on %s is UpstreamAuth, without the token',
    async (operation, times) => {
      const service = await startService(() => false);
      const secret = secretOf('canary-1', 'canary-2');
      const error = await thrownBy(
        run(clientOf(service.url, { auth: { kind: 'bearer', secret } }), operation),
      );
      expect(error).toMatchObject({ name: 'UpstreamAuth', httpStatus: 401 });
      expect(error.message).not.toContain('canary');
      expect(service.received).toHaveLength(times);
    },
  );

  test.each(OPERATIONS)(
    'H18: 401 on %s, and the secret is the same: sent once',
    async (operation) => {
      const service = await startService(() => false);
      const secret = secretOf('bad');
      const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
      expect(await thrownBy(run(client, operation))).toMatchObject({
        name: 'UpstreamAuth',
        httpStatus: 401,
      });
      expect(service.received).toHaveLength(1);
      expect(secret.reads).toEqual(operation === 'list' ? [false, true] : [false]);
    },
  );

  test('H18: 401 is answered by a new token once, however often the call is tried', async () => {
    const statuses = [401, 503, 401];
    const service = await startHttpServer((_request, response, index) => {
      response.writeHead(statuses[index] ?? 401).end();
    });
    const secret = secretOf('one', 'two', 'three');
    const error = await thrownBy(
      clientOf(service.url, { auth: { kind: 'bearer', secret } }).list('r1'),
    );
    expect(error).toMatchObject({ name: 'UpstreamAuth' });
    expect(service.received.map(authorizationOf)).toEqual([
      'Bearer one',
      'Bearer two',
      'Bearer two',
    ]);
  });

  test('H18: a service that takes no token, however new, is not asked twice for every call', async () => {
    const service = await startService(() => false);
    const calls = 100;
    const secret = secretOf(...Array.from({ length: 2 * calls }, (_, index) => `bad-${index}`));
    const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
    for (let call = 0; call < calls; call += 1) {
      expect(await thrownBy(client.list('r1'))).toMatchObject({ name: 'UpstreamAuth' });
    }
    expect(service.received.length).toBeLessThanOrEqual(calls + 10 + calls / 10);
  });

  test('H17: a token that was good is renewed, also by a client that has no retries left', async () => {
    let good = 'one';
    const service = await startHttpServer((request, response) => {
      if (request.headers.authorization !== `Bearer ${good}`) response.writeHead(401).end();
      else if (request.url.includes('broken')) response.writeHead(503).end();
      else sendJson(response, pageOf(rowsOf(1), request.query));
    });
    const secret = secretOf('one', 'two');
    const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
    for (let call = 0; call < 25; call += 1) await thrownBy(client.list('broken'));
    const before = service.received.length;
    await thrownBy(client.list('broken'));
    expect(service.received).toHaveLength(before + 1);
    good = 'two';
    await expect(client.listPage('r1', { page: 1, size: 10 })).resolves.toBeDefined();
  });

  test.each([401, 403])(
    'H17: after a call that ended with a %i, the next one reads the secret anew, however many were refused',
    async (status) => {
      let good = 'none';
      const service = await startHttpServer((request, response) => {
        if (request.headers.authorization !== `Bearer ${good}`) response.writeHead(status).end();
        else sendJson(response, rowsOf(1)[0]);
      });
      const secret = { value: 'old', read: async () => secret.value };
      const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
      for (let call = 0; call < 40; call += 1) await thrownBy(client.roll('r1', 'e1', 2));
      // Not every call is made twice for that.
      expect(service.received).toHaveLength(40);
      secret.value = 'new';
      good = 'new';
      await expect(client.roll('r1', 'e1', 2)).resolves.toBeDefined();
    },
  );

  test('H18: 403 is not tried again', async () => {
    const service = await startHttpServer((_request, response) => response.writeHead(403).end());
    const secret = secretOf('good');
    const error = await thrownBy(
      clientOf(service.url, { auth: { kind: 'bearer', secret } }).stop('r1', 'e1'),
    );
    expect(error).toMatchObject({ name: 'UpstreamAuth', httpStatus: 403 });
    expect(service.received).toHaveLength(1);
    expect(secret.reads).toEqual([false]);
  });

  test('H18: 401 without any credential is not tried again', async () => {
    const service = await startService(() => false);
    expect(await thrownBy(clientOf(service.url).list('r1'))).toMatchObject({
      name: 'UpstreamAuth',
    });
    expect(service.received).toHaveLength(1);
  });

  test.each([
    ['a newline at its end', 'canary\n'],
    ['a newline inside', 'can\r\nary'],
    ['a byte order mark', '\ufeffcanary'],
    ['a letter outside ASCII', 'canaryé'],
    ['a space', 'can ary'],
    ['nothing in it', ''],
  ])('C09: a token with %s is refused before the first call', async (_, token) => {
    const service = await startService(() => true);
    const secret = secretOf(token);
    const client = clientOf(service.url, { auth: { kind: 'bearer', secret } });
    const error = await thrownBy(client.stop('r1', 'e1'));
    expect(error).toMatchObject({ name: 'InvalidCredential' });
    expect(error.message).not.toMatch(/can|ary/);
    expect(service.received).toHaveLength(0);
  });

  test('a secret store that hangs does not outlast the deadline, and nothing was sent', async () => {
    const service = await startService(() => true);
    const secret: SecretStore = { read: () => new Promise(() => {}) };
    const client = clientOf(service.url, {
      ...{ auth: { kind: 'bearer', secret }, clock: realClock, deadlineMs: 30 },
    });
    expect(await thrownBy(client.stop('r1', 'e1'))).toMatchObject({ name: 'UpstreamTimeout' });
    expect(service.received).toHaveLength(0);
  });
});

describe('client credentials', () => {
  const authOf = (tokenUrl: string, secret: SecretStore = secretOf(CLIENT)): Auth => ({
    kind: 'client-credentials',
    tokenUrl: `${tokenUrl}/oauth/token?tenant=1`,
    secret,
  });

  test('are sent by HTTP Basic, form-encoded, as RFC 6749 says', async () => {
    const tokens = await startTokenServer();
    const service = await startService((value) => value === 'Bearer token-1');
    const auth = { ...authOf(tokens.url), scope: 'endpoints:write endpoints:read' };
    await clientOf(service.url, { auth }).stop('r1', 'e1');
    expect(tokens.received).toMatchObject([
      {
        method: 'POST',
        url: '/oauth/token?tenant=1',
        headers: {
          authorization: `Basic ${btoa('steproll:sesame%3Aopen+%26+shut')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials&scope=endpoints%3Awrite+endpoints%3Aread',
      },
    ]);
  });

  test('show nobody the bodies of a token endpoint', async () => {
    const exchanges: object[] = [];
    const service = await startService(() => true);
    const tokens = await startHttpServer((_request, response) => {
      sendJson(response, { access_token: 'canary', token_type: 'bearer', jwt: 'canary' });
    });
    const client = clientOf(service.url, {
      auth: { kind: 'client-credentials', tokenUrl: tokens.url, secret: secretOf(CLIENT) },
      onExchange: (exchange) => exchanges.push(exchange),
    });
    await client.stop('r1', 'e1');
    expect(exchanges).toMatchObject([
      { origin: tokens.url, status: 200, requestBody: null, answerExcerpt: null },
      { origin: service.url, status: 200, requestBody: null },
    ]);
    expect(JSON.stringify(exchanges)).not.toMatch(/canary|sesame/);
  });

  test('mint one token for many calls at once', async () => {
    const tokens = await startTokenServer();
    const service = await startService((value) => value === 'Bearer token-1');
    const client = clientOf(service.url, { auth: authOf(tokens.url) });
    // There is a socket for each of them: a write that waits too long for one is not sent.
    await Promise.all(rowsOf(8).map((_, index) => client.stop('r1', `e${index}`)));
    await client.list('r1');
    expect(tokens.received).toHaveLength(1);
  });

  test.each([
    [3_600, 3_569, 3_571],
    [20, 9, 11],
    [undefined, 269, 271],
  ])('keep a token of %s s for more than %d and less than %d s', async (expires_in, kept, gone) => {
    const clock = createTestClock();
    const tokens = await startTokenServer(expires_in === undefined ? {} : { expires_in });
    const service = await startService(() => true);
    const client = clientOf(service.url, { clock, auth: authOf(tokens.url) });
    await client.stop('r1', 'e1');
    clock.advance(kept * 1_000);
    await client.stop('r1', 'e1');
    expect(tokens.received).toHaveLength(1);
    clock.advance((gone - kept) * 1_000);
    await client.stop('r1', 'e1');
    expect(service.received.map(authorizationOf)).toEqual([
      ...['Bearer token-1', 'Bearer token-1', 'Bearer token-2'],
    ]);
  });

  test('H17: 401 on a list mints once more, past the cache', async () => {
    const tokens = await startTokenServer();
    const service = await startService((value) => value === 'Bearer token-2');
    const secret = secretOf(CLIENT);
    const client = clientOf(service.url, { auth: authOf(tokens.url, secret), pageSize: 500 });
    await client.list('r1');
    expect(service.received.map(authorizationOf)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(secret.reads).toEqual([false, true]);
  });

  test('H17: calls that get 401 together share the new token', async () => {
    const tokens = await startTokenServer();
    const service = await startService((value) => value === 'Bearer token-2');
    const client = clientOf(service.url, { auth: authOf(tokens.url) });
    const page = { page: 1, size: 10 };
    await Promise.all(rowsOf(8).map((_, index) => client.listPage(`r${index}`, page)));
    expect(tokens.received).toHaveLength(2);
  });

  test('H18: a client that is refused is UpstreamAuth, and the service gets no call', async () => {
    const tokens = await startHttpServer((request, response) => {
      const basic = request.headers.authorization?.slice('Basic '.length);
      sendJson(response, { error: 'invalid_client', got: [basic, 'sesame:open & shut'] }, 401);
    });
    const service = await startService(() => true);
    const secret = secretOf(CLIENT);
    const error = await thrownBy(
      clientOf(service.url, { auth: authOf(tokens.url, secret) }).stop('r1', 'e1'),
    );
    expect(error).toMatchObject({ name: 'UpstreamAuth', httpStatus: 401 });
    expect(error.message).toContain('invalid_client');
    expect(error.message).not.toMatch(/sesame|c3RlcHJvbGw/);
    expect(secret.reads).toEqual([false, true]);
    expect(service.received).toHaveLength(0);
  });

  test('H18: a client that is refused after a 401 is not minted for again', async () => {
    const tokens = await startHttpServer((_request, response, index) => {
      sendJson(response, { access_token: 't' }, index === 0 ? 200 : 400);
    });
    const service = await startService(() => false);
    expect(
      await thrownBy(clientOf(service.url, { auth: authOf(tokens.url) }).list('r1')),
    ).toMatchObject({ name: 'UpstreamAuth', httpStatus: 400 });
    expect(tokens.received).toHaveLength(2);
    expect(service.received).toHaveLength(1);
  });

  test('a client secret that was replaced is read afresh', async () => {
    const renewed = JSON.stringify({ clientId: 'steproll', clientSecret: 'new' });
    const tokens = await startHttpServer(({ headers }, response) => {
      const good = headers.authorization === `Basic ${btoa('steproll:new')}`;
      sendJson(response, good ? { access_token: 't' } : {}, good ? 200 : 400);
    });
    const service = await startService(() => true);
    const auth = authOf(tokens.url, secretOf(CLIENT, renewed));
    await clientOf(service.url, { auth }).stop('r1', 'e1');
    expect(service.received).toHaveLength(1);
  });

  test.each(WRITES)(
    'a token endpoint that fails leaves %s unsent, and the next call asks it again',
    async (operation) => {
      const tokens = await startHttpServer((_request, response, index) => {
        sendJson(response, { access_token: 't' }, index < 1 ? 503 : 200);
      });
      const service = await startService(() => true);
      const client = clientOf(service.url, { auth: authOf(tokens.url) });
      expect(await thrownBy(run(client, operation))).toMatchObject({ name: 'UpstreamTransient' });
      expect(service.received).toHaveLength(0);
      await run(client, operation);
      expect(tokens.received).toHaveLength(2);
      expect(service.received).toHaveLength(1);
    },
  );

  test.each([
    [1_900, 1],
    [2_100, 0],
  ])('H26: a write whose token takes %d ms is sent %i times', async (milliseconds, times) => {
    const clock = createTestClock();
    const tokens = await startHttpServer((_request, response) => {
      clock.advance(milliseconds);
      sendJson(response, { access_token: 'token-1', expires_in: 3_600 });
    });
    const service = await startService(() => true);
    const client = clientOf(service.url, { auth: authOf(tokens.url), clock });
    const error = await client.stop('r1', 'e1').catch((thrown: unknown) => thrown);
    expect(service.received).toHaveLength(times);
    if (times === 1) return expect(error).toBeUndefined();
    expect(error).toMatchObject({
      name: 'UpstreamTimeout',
      retryAfterSeconds: 1,
      message: expect.stringContaining('nothing was sent'),
    });
    await client.stop('r1', 'e1');
    expect(service.received).toHaveLength(1);
  });

  test.each([
    [503, {}, 'UpstreamTransient'],
    [429, { 'retry-after': '7' }, 'UpstreamThrottled'],
    [302, { location: '/' }, 'UpstreamRedirect'],
    [400, {}, 'UpstreamAuth'],
  ])('a token endpoint that answers %d %j is %s', async (status, headers, name) => {
    const tokens = await startHttpServer((_request, response) => {
      response.writeHead(status, headers).end();
    });
    const service = await startService(() => true);
    const client = clientOf(service.url, { auth: authOf(tokens.url) });
    expect(await thrownBy(client.stop('r1', 'e1'))).toMatchObject({ name });
    expect(service.received).toHaveLength(0);
  });

  test('H26: a token endpoint that hangs does not outlast the deadline, and nothing was sent', async () => {
    const tokens = await startSocketServer(() => {});
    const service = await startService(() => true);
    const client = clientOf(service.url, {
      ...{ auth: authOf(tokens.url), clock: realClock, deadlineMs: 30 },
    });
    expect(await thrownBy(client.stop('r1', 'e1'))).toMatchObject({ name: 'UpstreamTimeout' });
    expect(service.received).toHaveLength(0);
  });

  test.each([
    ['{}'],
    ['{"access_token":"canary","token_type":"mac"}'],
    ['{"access_token":"canary","expires_in":"soon"}'],
    ['canary'],
  ])('H22: a token endpoint that answers %s is UpstreamProtocol', async (body) => {
    const tokens = await startHttpServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(body);
    });
    const service = await startService(() => true);
    const error = await thrownBy(
      clientOf(service.url, { auth: authOf(tokens.url) }).stop('r1', 'e1'),
    );
    expect(error).toMatchObject({ name: 'UpstreamProtocol' });
    expect(error.message).not.toContain('canary');
    expect(error.cause).toBeUndefined();
    expect(service.received).toHaveLength(0);
  });

  test('C09: a minted token that cannot stand in a header is refused', async () => {
    const tokens = await startHttpServer((_request, response) => {
      sendJson(response, { access_token: 'canary\n' });
    });
    const service = await startService(() => true);
    const error = await thrownBy(
      clientOf(service.url, { auth: authOf(tokens.url) }).stop('r1', 'e1'),
    );
    expect(error).toMatchObject({ name: 'InvalidCredential' });
    expect(error.message).not.toContain('canary');
  });

  test.each([
    'canary',
    '{"clientId":"canary"}',
    '{"clientId":1,"clientSecret":"canary"}',
    '{"clientId":"a","clientSecret":"b","clientSecret":"canary"}',
  ])('C09: the secret %s is refused without being shown', async (text) => {
    const tokens = await startTokenServer();
    const service = await startService(() => true);
    const error = await thrownBy(
      clientOf(service.url, { auth: authOf(tokens.url, secretOf(text)) }).stop('r1', 'e1'),
    );
    expect(error).toMatchObject({ name: 'InvalidCredential' });
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain('canary');
    expect(tokens.received).toHaveLength(0);
  });
});
