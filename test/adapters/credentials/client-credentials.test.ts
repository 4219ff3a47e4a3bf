import { describe, expect, test } from '@jest/globals';
import type { Auth } from '../../../lib/adapters/credentials/authorization.ts';
import {
  clientOf,
  pageOf,
  rowsOf,
  sendJson,
  startHttpServer,
  startSocketServer,
  thrownBy,
} from '../http/fault-server.ts';
import { createTestClock } from '../http/test-clock.ts';

const authOf = (tokenUrl: string): Auth => ({
  kind: 'client-credentials',
  tokenUrl,
  secret: { read: async () => '{"clientId":"steproll","clientSecret":"sesame"}' },
});

const startService = () =>
  startHttpServer(({ method, query }, response) =>
    sendJson(response, method === 'GET' ? pageOf(rowsOf(1), query) : rowsOf(1)[0]),
  );

/** Refuses `refusals` mints, with `status` and `headers`, then mints. */
function startTokenServer(refusals: number, status: number, headers: Record<string, string>) {
  return startHttpServer((_request, response, index) => {
    if (index < refusals) {
      response.writeHead(status, headers).end();
    } else {
      sendJson(response, { access_token: 't', expires_in: 60 });
    }
  });
}

const FIRST_PAGE = { page: 1, size: 10 };

describe.each([429, 503])('a token endpoint that answers %d with Retry-After', (status) => {
  test('H14: is waited for, and one mint serves every call', async () => {
    const clock = createTestClock();
    const tokens = await startTokenServer(1, status, { 'retry-after': '2' });
    const service = await startService();
    const client = clientOf(service.url, { clock, auth: authOf(tokens.url) });
    await Promise.all(rowsOf(3).map((_, index) => client.listPage(`r${index}`, FIRST_PAGE)));
    expect(tokens.received).toHaveLength(2);
    expect(service.received).toHaveLength(3);
    expect(clock.waits[0]).toBe(2_100);
  });

  test('H14: for longer than the call has is UpstreamThrottled, and not asked before', async () => {
    const clock = createTestClock();
    const tokens = await startTokenServer(1, status, { 'retry-after': '25' });
    const service = await startService();
    const client = clientOf(service.url, { clock, auth: authOf(tokens.url) });
    expect(await thrownBy(client.stop('r1', 'e1'))).toMatchObject({
      name: 'UpstreamThrottled',
      httpStatus: status,
      retryAfterSeconds: 25,
    });
    clock.advance(10_000);
    const early = await thrownBy(client.stop('r1', 'e1'));
    expect(early).toMatchObject({ name: 'UpstreamThrottled', retryAfterSeconds: 15 });
    expect(early.message).toBe(
      'nothing was sent: the token endpoint wants no request for another 15 s',
    );
    expect(tokens.received).toHaveLength(1);
    clock.advance(15_000);
    await client.stop('r1', 'e1');
    expect(tokens.received).toHaveLength(2);
    expect(service.received).toHaveLength(1);
  });
});

describe('the lifetime of a token', () => {
  test.each([
    ['3600', 3_569],
    ['"3600"', 3_569],
    ['null', 269],
  ])('%s is understood', async (lifetime, kept) => {
    const clock = createTestClock();
    const tokens = await startHttpServer((_request, response) => {
      response.end(`{"access_token":"t","expires_in":${lifetime}}`);
    });
    const service = await startService();
    const client = clientOf(service.url, { clock, auth: authOf(tokens.url) });
    await client.stop('r1', 'e1');
    clock.advance(kept * 1_000);
    await client.stop('r1', 'e1');
    expect(tokens.received).toHaveLength(1);
    clock.advance(2_000);
    await client.stop('r1', 'e1');
    expect(tokens.received).toHaveLength(2);
  });

  test.each(['-1', '"-1"', '"1.5"', '"soon"', '""', '"1e3"', 'true', '[]', `"${'9'.repeat(400)}"`])(
    'H22: %s is UpstreamProtocol',
    async (lifetime) => {
      const tokens = await startHttpServer((_request, response) => {
        response.end(`{"access_token":"t","expires_in":${lifetime}}`);
      });
      const service = await startService();
      const error = await thrownBy(
        clientOf(service.url, { auth: authOf(tokens.url) }).stop('r1', 'e1'),
      );
      expect(error).toMatchObject({ name: 'UpstreamProtocol' });
      expect(error.message).toContain('see expires_in');
    },
  );
});

describe('a call that the caller has given up already', () => {
  const givenUp = () => AbortSignal.abort(new Error('enough'));

  test('asks for no token', async () => {
    const tokens = await startTokenServer(0, 200, {});
    const service = await startService();
    const client = clientOf(service.url, { auth: authOf(tokens.url) });
    await expect(client.list('r1', givenUp())).rejects.toThrow('enough');
    await client.close();
    expect(tokens.sockets()).toBe(0);
  });

  // The runner fails a test that leaves a failure unhandled, as Node ends a program.
  test('leaves no failure behind that would end the process', async () => {
    const dead = await startSocketServer((socket) => socket.destroy());
    const service = await startService();
    const client = clientOf(service.url, { auth: authOf(dead.url) });
    await expect(client.list('r1', givenUp())).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(dead.requests()).toBe(0);
  });
});
