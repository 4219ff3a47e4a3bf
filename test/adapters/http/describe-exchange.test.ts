import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { clientOf, startHttpServer, thrownBy } from './fault-server.ts';

const STOP = 'POST /agent-runtimes/r1/endpoints/e1/stop';

/** The message of a stop that is answered like this. */
async function messageOf(
  status: number,
  headers: Record<string, string>,
  body: string | Buffer = '',
) {
  const server = await startHttpServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });
  const secret = { read: async () => 'sparrow+1/2' };
  return (
    await thrownBy(clientOf(server.url, { auth: { kind: 'bearer', secret } }).stop('r1', 'e1'))
  ).message;
}

describe('H21: a redirect says where to,', () => {
  test.each([
    ['https://other.example:8443/v2/x', 'to https://other.example:8443/v2/x'],
    ['https://me:pass@other.example/login?token=canary#canary', 'to https://other.example/login'],
    ['//other.example/x', 'to http://other.example/x'],
    ['/elsewhere?q=1', 'to /elsewhere'],
    ['start', 'to /agent-runtimes/r1/endpoints/e1/start'],
    ['/session/sparrow%2B1%2f2/x', 'to /session/[hidden]/x'],
  ])('%s', async (location, where) => {
    expect(await messageOf(302, { location }, 'moved')).toBe(`${STOP}: 302 ${where} moved`);
  });

  test('unless it does not', async () => {
    expect(await messageOf(302, {}, 'moved')).toBe(`${STOP}: 302 moved`);
    expect(await messageOf(302, { location: 'http://[' }, 'moved')).toBe(`${STOP}: 302 moved`);
  });

  test('and nothing else does', async () => {
    expect(await messageOf(404, { location: '/elsewhere' }, 'no')).toBe(`${STOP}: 404 no`);
  });
});

test('H14: 429 says how long to wait', async () => {
  expect(await messageOf(429, { 'retry-after': '21' }, 'slow down')).toBe(
    `${STOP}: 429 (again in 21 s) slow down`,
  );
});

test.each(['gzip', 'BR', 'x-sparrow+1/2'])(
  'H24: an error body in content-encoding %s is named, not shown',
  async (encoding) => {
    const message = await messageOf(404, { 'content-encoding': encoding }, gzipSync('no such'));
    const name = encoding === 'x-sparrow+1/2' ? 'x-[hidden]' : encoding.toLowerCase();
    expect(message).toBe(`${STOP}: 404 (a body in content-encoding ${name})`);
  },
);

test('H24: nor is it shown to those who watch', async () => {
  const exchanges: unknown[] = [];
  const server = await startHttpServer((_request, response) => {
    response.writeHead(404, { 'content-encoding': 'gzip' }).end(gzipSync('no such'));
  });
  const client = clientOf(server.url, { onExchange: (exchange) => exchanges.push(exchange) });
  await thrownBy(client.stop('r1', 'e1'));
  expect(exchanges).toMatchObject([{ answerExcerpt: '(a body in content-encoding gzip)' }]);
});
