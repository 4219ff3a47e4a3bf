import { describe, expect, test } from '@jest/globals';
import {
  clientOf,
  pageOf,
  rowOf,
  rowsOf,
  sendJson,
  startHttpServer,
  thrownBy,
} from '../../http/fault-server.ts';
import { createTestClock } from '../../http/test-clock.ts';

const idsOf = (endpoints: readonly { id: string }[]) => endpoints.map(({ id }) => id);
const sweepsIn = (received: readonly { query: URLSearchParams }[]) =>
  received.filter(({ query }) => query.get('page') === '1').length;

describe('one page', () => {
  test('asks for exactly the page and size given', async () => {
    const server = await startHttpServer((request, response) =>
      sendJson(response, pageOf(rowsOf(25), request.query)),
    );
    const page = await clientOf(`${server.url}/runtime`).listPage('r1', { page: 3, size: 10 });
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /runtime/agent-runtimes/r1/endpoints?page=3&size=10',
    ]);
    expect(idsOf(page.endpoints)).toEqual(['e21', 'e22', 'e23', 'e24', 'e25']);
    expect(page).toMatchObject({ page: 3, size: 10, totalPages: 3, totalEndpoints: 25 });
  });

  test('H24: asks for answers that are not compressed', async () => {
    const server = await startHttpServer((request, response) =>
      sendJson(response, pageOf([], request.query)),
    );
    await clientOf(server.url).listPage('r1', { page: 1, size: 10 });
    expect(server.received[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    expect(server.received[0]?.headers).not.toHaveProperty('authorization');
    expect(server.received[0]?.headers).not.toHaveProperty('content-type');
  });
});

describe('a sweep', () => {
  test('a list of one page takes one request', async () => {
    const server = await startHttpServer((request, response) =>
      sendJson(response, pageOf(rowsOf(100), request.query)),
    );
    expect(await clientOf(server.url).list('r1')).toHaveLength(100);
    expect(server.received).toHaveLength(1);
  });

  test('reads 10,000 endpoints, 8 pages at a time, in order', async () => {
    const rows = rowsOf(10_000);
    const held: (() => void)[] = [];
    let most = 0;
    const server = await startHttpServer((request, response, index) => {
      const answer = () => sendJson(response, pageOf(rows, request.query));
      if (index === 0) {
        return answer();
      }
      held.push(answer);
      most = Math.max(most, held.length);
      // 8 that all wait for each other, again and again, and after the first page the few that are left.
      const pages = rows.length / Number(request.query.get('size'));
      if (held.length === 8 || index === pages - 1) {
        setTimeout(() => {
          for (const release of held.splice(0)) {
            release();
          }
        }, 5);
      }
    });
    // A client that asks for fewer at once waits for ever.
    const endpoints = await clientOf(server.url).list('r1', AbortSignal.timeout(30_000));
    expect(idsOf(endpoints)).toEqual(rows.map((row) => (row as { id: string }).id));
    expect(server.received).toHaveLength(100);
    expect(most).toBe(8);
    expect(server.sockets()).toBe(8);
  });

  test('reads pages side by side when only their number is known', async () => {
    const held: (() => void)[] = [];
    const server = await startHttpServer(({ query }, response, index) => {
      const { listData } = pageOf(rowsOf(30), query) as { listData: object[] };
      const answer = () => sendJson(response, { listData, totalPage: 3 });
      if (index === 0 || index === 3) {
        return answer();
      }
      held.push(answer);
      if (held.length === 2) {
        for (const release of held) {
          release();
        }
      }
    });
    const client = clientOf(server.url, { pageSize: 10 });
    expect(await client.list('r1', AbortSignal.timeout(30_000))).toHaveLength(30);
    expect(server.received).toHaveLength(4);
  });

  test('H01: an endpoint that an insert shifts onto the next page counts once', async () => {
    const server = await startHttpServer(({ query }, response) => {
      const pages: Record<string, object[]> = {
        1: [rowOf('e1'), rowOf('e2')],
        2: [rowOf('e2'), rowOf('e3')],
      };
      sendJson(response, { listData: pages[query.get('page') ?? ''] ?? [] });
    });
    const endpoints = await clientOf(server.url, { pageSize: 2 }).list('r1');
    expect(idsOf(endpoints)).toEqual(['e1', 'e2', 'e3']);
  });

  test.each([
    ['H01: an insert', [rowOf('e0'), ...rowsOf(4)]],
    ['H02: a delete', rowsOf(4).slice(1)],
  ])('%s between two pages makes the sweep start anew', async (_, after) => {
    const server = await startHttpServer(({ query }, response, index) => {
      sendJson(response, pageOf(index === 0 ? rowsOf(4) : after, query));
    });
    const endpoints = await clientOf(server.url, { pageSize: 2 }).list('r1');
    expect(idsOf(endpoints)).toEqual(after.map((row) => (row as { id: string }).id));
    expect(sweepsIn(server.received)).toBe(2);
  });

  test('H03: a service with a largest page size of its own is read to the end', async () => {
    const server = await startHttpServer(({ query }, response) => {
      sendJson(response, pageOf(rowsOf(57), query, 20));
    });
    expect(await clientOf(server.url).list('r1')).toHaveLength(57);
    expect(server.received).toHaveLength(3);
  });

  test('H03: pages counted by the size that was asked for do not cut the list', async () => {
    const server = await startHttpServer(({ query }, response) => {
      const { listData } = pageOf(rowsOf(57), query, 20) as { listData: object[] };
      sendJson(response, { listData, totalPage: 1 });
    });
    expect(await clientOf(server.url).list('r1')).toHaveLength(57);
  });

  test('H03: without any count the list is read until a page is empty', async () => {
    const server = await startHttpServer(({ query }, response) => {
      const { listData } = pageOf(rowsOf(57), query, 20) as { listData: object[] };
      sendJson(response, { listData });
    });
    expect(await clientOf(server.url).list('r1')).toHaveLength(57);
    expect(server.received).toHaveLength(4);
  });

  test('H02: a page after an empty one is a contradiction', async () => {
    const server = await startHttpServer(({ query }, response) => {
      const page = query.get('page');
      sendJson(response, { listData: page === '2' ? [] : [rowOf(`e${page}`)], totalPage: 3 });
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('page 3 comes after an empty one');
  });

  test('a total of 0 past the end says nothing about the list', async () => {
    const server = await startHttpServer(({ query }, response) => {
      const body =
        query.get('page') === '1' ? { listData: rowsOf(2) } : { listData: [], totalItem: 0 };
      sendJson(response, body);
    });
    expect(await clientOf(server.url).list('r1')).toHaveLength(2);
  });

  test.each([
    ['with a total', { totalItem: 4 }],
    ['without a total', {}],
  ])('H04: a service %s that ignores the page is not read forever', async (_, counts) => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { listData: rowsOf(2), ...counts });
    });
    const error = await thrownBy(clientOf(server.url, { pageSize: 2 }).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('page 2 holds nothing new');
    expect(server.received).toHaveLength(6);
  });

  test('H04: a list that never ends is given up after 1,000 pages', async () => {
    const server = await startHttpServer(({ query }, response) => {
      sendJson(response, { listData: [rowOf(`e${query.get('page')}`)] });
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(server.received).toHaveLength(1_000);
  });

  test('H04: a count of more than 1,000 pages is not begun', async () => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { listData: rowsOf(10), totalItem: 10_001 });
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({ name: 'ListUnstable' });
    expect(server.received).toHaveLength(1);
  });

  test('H05: a total that is not met makes the sweep start anew, 3 in all', async () => {
    const server = await startHttpServer(({ query }, response) => {
      sendJson(response, { ...pageOf(rowsOf(55), query), totalItem: 57 });
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('the total is 57, and 55 were read');
    expect(sweepsIn(server.received)).toBe(3);
  });

  test('H05: a total that is met at the third sweep is a list', async () => {
    let sweeps = 0;
    const server = await startHttpServer(({ query }, response) => {
      sweeps += Number(query.get('page') === '1');
      sendJson(response, { ...pageOf(rowsOf(55), query), totalItem: sweeps < 3 ? 57 : 55 });
    });
    expect(await clientOf(server.url).list('r1')).toHaveLength(55);
  });

  test('H05: more endpoints than the total says are a contradiction too', async () => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { listData: rowsOf(3), totalItem: 2 });
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({ name: 'ListUnstable' });
  });

  test.each([
    ['with a total', { totalItem: 0, totalPage: 0 }],
    ['without a total', {}],
  ])('H06: an empty list %s is an answer, not an error', async (_, counts) => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { listData: [], ...counts });
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  test('H32: two different rows of one endpoint are never merged', async () => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, {
        listData: [rowOf('e1'), rowOf('e1', { liveVersion: 2 })],
        totalItem: 1,
      });
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('two rows of "e1" differ');
    expect(server.received).toHaveLength(3);
  });

  test('H33: an unknown status is passed on as it is', async () => {
    const server = await startHttpServer(({ query }, response) => {
      sendJson(response, pageOf([rowOf('e1', { status: 'ZOMBIE' })], query));
    });
    expect(await clientOf(server.url).list('r1')).toMatchObject([{ status: 'ZOMBIE' }]);
  });

  test('a page that fails ends the sweep with its error', async () => {
    const server = await startHttpServer(({ query }, response) => {
      if (query.get('page') === '3') {
        sendJson(response, {}, 403);
      } else {
        sendJson(response, pageOf(rowsOf(2_000), query, 10));
      }
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamAuth', httpStatus: 403 });
    expect(server.received.length).toBeLessThan(30);
  });

  test('the caller may give up', async () => {
    const caller = new AbortController();
    const reason = new Error('enough');
    const server = await startHttpServer(({ query }, response) => {
      if (query.get('page') === '1') {
        sendJson(response, pageOf(rowsOf(500), query));
      } else {
        caller.abort(reason);
      }
    });
    // No time for a retry is left, so that the reason can only come from the exchange itself.
    const options = { clock: createTestClock({ deadlineMs: 50 }), deadlineMs: 50 };
    await expect(clientOf(server.url, options).list('r1', caller.signal)).rejects.toBe(reason);
  });
});

describe('a service that refuses the page size', () => {
  test('is asked for pages of 10 from then on', async () => {
    const server = await startHttpServer(({ query }, response) => {
      if (Number(query.get('size')) > 50) {
        sendJson(response, { error: 'size must be at most 50' }, 400);
      } else {
        sendJson(response, pageOf(rowsOf(25), query));
      }
    });
    const client = clientOf(server.url);
    expect(await client.list('r1')).toHaveLength(25);
    expect(await client.list('r1')).toHaveLength(25);
    expect(server.received.map(({ query }) => query.get('size'))).toEqual([
      ...['100', '10', '10', '10'],
      ...['10', '10', '10'],
    ]);
  });

  test('only at the first page: later the size is known to be good', async () => {
    const server = await startHttpServer(({ query }, response) => {
      if (query.get('page') === '2') {
        sendJson(response, {}, 400);
      } else {
        sendJson(response, pageOf(rowsOf(150), query));
      }
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamRejected',
    });
    expect(server.received).toHaveLength(2);
  });

  test('for another reason keeps the size for the next list', async () => {
    const server = await startHttpServer(({ url, query }, response) => {
      if (url.includes('unknown')) {
        sendJson(response, { error: 'no such runtime' }, 400);
      } else {
        sendJson(response, pageOf(rowsOf(1), query));
      }
    });
    const client = clientOf(server.url);
    expect(await thrownBy(client.list('unknown'))).toMatchObject({ name: 'UpstreamRejected' });
    await client.list('r1');
    expect(server.received.at(-1)?.query.get('size')).toBe('100');
  });
});

test('a whole list says which endpoints share a name, and one page says nothing of it', async () => {
  const server = await startHttpServer((request, response) =>
    sendJson(
      response,
      pageOf(
        ['web', 'web', 'api'].map((name, index) => ({ ...(rowOf(`e${index}`) as object), name })),
        request.query,
      ),
    ),
  );
  const client = clientOf(server.url, { pageSize: 2 });
  const all = await client.list('r1');
  expect(all.map(({ sharesName = false }) => sharesName)).toEqual([true, true, false]);
  const { endpoints } = await client.listPage('r1', { page: 1, size: 3 });
  expect(endpoints.some((one) => 'sharesName' in one)).toBe(false);
});
