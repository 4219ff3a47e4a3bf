import { describe, expect, test } from '@jest/globals';
import { wireMappingSchema } from '../../../../lib/contract/service/wire.ts';
import {
  clientOf,
  pageOf,
  rowsOf,
  sendJson,
  startHttpServer,
  thrownBy,
} from '../../http/fault-server.ts';

const PAGE = 10;

interface Page {
  readonly listData: readonly object[];
  readonly page: number;
}

/** A service with pages of at most 10, which says and does what `answer` makes of a page. */
async function listOf(
  count: number,
  answer: (page: Page) => { readonly status?: number; readonly body: unknown },
  pageSize = 100,
) {
  const server = await startHttpServer(({ query }, response) => {
    const { listData, page } = pageOf(rowsOf(count), query, PAGE) as Page;
    const { status = 200, body } = answer({ listData, page });
    sendJson(response, body, status);
  });
  const asked = () => server.received.map(({ query }) => Number(query.get('page')));
  return { list: () => clientOf(server.url, { pageSize }).list('r1'), asked };
}

describe('two totals that disagree', () => {
  test.each([
    ['H03: the endpoints of the page alone', ({ listData }: Page) => listData.length, 3],
    ['H03: a page of endpoints', () => 10, 3],
    ['H05: one page of endpoints too few', () => 20, 3],
    ['H05: no endpoints', () => 0, 3],
    ['H05: one page of endpoints too many', () => 35, 3],
    ['H05: too many of both', () => 35, 4],
    ['H05: one page of endpoints too few, and a page too few', () => 15, 2],
  ])('%s: never a part of the list', async (_, totalItem, totalPage) => {
    const { list } = await listOf(25, (page) => ({
      body: { listData: page.listData, totalPage, totalItem: totalItem(page) },
    }));
    expect(await thrownBy(list())).toMatchObject({ name: 'ListUnstable' });
  });

  test.each([
    ['H03: pages counted by the size that was asked for', 1, [1, 2, 3]],
    ['H03: one page too few', 2, [1, 2, 3]],
    ['H05: pages counted by a smaller size', 9, [1, 2, 3, 4]],
  ])('%s: the endpoints decide, and an empty page', async (_, totalPage, pages) => {
    const { list, asked } = await listOf(25, ({ listData }) => ({
      body: { listData, totalPage, totalItem: 25 },
    }));
    expect(await list()).toHaveLength(25);
    expect(asked()).toEqual(pages);
  });

  test('H05: more pages than the total needs are read, not believed', async () => {
    const { list, asked } = await listOf(10, ({ listData }) => ({
      body: { listData, totalPage: 3, totalItem: 10 },
    }));
    expect(await list()).toHaveLength(10);
    expect(asked()).toEqual([1, 2]);
  });
});

describe('only the number of pages', () => {
  const withPages =
    (totalPage: number, past: (page: Page) => { status?: number; body: unknown }) => (page: Page) =>
      page.page > totalPage ? past(page) : { body: { listData: page.listData, totalPage } };
  const notFound = () => ({ status: 404, body: { error: 'no such page' } });

  test('a last page that is shorter than the others is the end', async () => {
    const { list, asked } = await listOf(25, withPages(3, notFound));
    expect(await list()).toHaveLength(25);
    expect(asked()).toEqual([1, 2, 3]);
  });

  test.each([
    ['answers 404', notFound],
    ['answers an empty page', () => ({ body: { listData: [], totalPage: 3 } })],
    ['repeats its last page', () => ({ body: { listData: rowsOf(30).slice(20), totalPage: 3 } })],
  ])('a service that %s behind a full last page can be listed', async (_, past) => {
    const { list, asked } = await listOf(30, withPages(3, past));
    expect(await list()).toHaveLength(30);
    expect(asked()).toEqual([1, 2, 3, 4]);
  });

  test.each([404, 200])(
    'H03: a page too few, then %d: read on until nothing comes',
    async (past) => {
      const { list } = await listOf(25, ({ listData }) => ({
        status: listData.length === 0 ? past : 200,
        body: { listData, totalPage: 2 },
      }));
      expect(await list()).toHaveLength(25);
    },
  );

  test.each([
    ['empty', { body: { listData: [] } }],
    ['not found', notFound()],
  ])('H02: a promised page that is %s is a contradiction', async (_, last) => {
    const { list } = await listOf(20, ({ listData, page }) =>
      page < 3 ? { body: { listData, totalPage: 3 } } : last,
    );
    const error = await thrownBy(list());
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('the number of pages is 3, and page 3 is empty');
  });

  test('H04: a promised page that repeats the one before is a contradiction', async () => {
    const { list } = await listOf(10, () => ({ body: { listData: rowsOf(10), totalPage: 3 } }));
    expect((await thrownBy(list())).message).toContain('page 2 holds nothing new');
  });

  test('H01: a number of pages that grows makes the sweep start anew', async () => {
    let answers = 0;
    const { list, asked } = await listOf(25, ({ listData }) => {
      answers += 1;
      return { body: { listData, totalPage: answers === 1 ? 2 : 3 } };
    });
    expect(await list()).toHaveLength(25);
    expect(asked()).toEqual([1, 2, 1, 2, 3]);
  });

  test('H06: one page of nothing is an empty list', async () => {
    const { list, asked } = await listOf(0, ({ listData }) => ({
      body: { listData, totalPage: 1 },
    }));
    expect(await list()).toEqual([]);
    expect(asked()).toEqual([1]);
  });

  test('a runtime that is not known is not an empty list', async () => {
    const { list } = await listOf(0, notFound);
    expect(await thrownBy(list())).toMatchObject({ name: 'UpstreamNotFound' });
  });
});

describe('no totals at all', () => {
  test('H03: 404 is no end of a list of which nothing is known', async () => {
    const { list } = await listOf(10, ({ listData }) => ({
      status: listData.length === 0 ? 404 : 200,
      body: { listData },
    }));
    expect(await thrownBy(list())).toMatchObject({ name: 'UpstreamNotFound' });
  });
});

describe('a service without pages', () => {
  const arrays = wireMappingSchema.parse({ page: { endpoints: null } });
  const unpaged = wireMappingSchema.parse({ page: { endpoints: null, paged: false } });
  const startArray = () => startHttpServer((_request, response) => sendJson(response, rowsOf(11)));

  test('is asked once where the configuration says so', async () => {
    const server = await startArray();
    expect(await clientOf(server.url, { wire: unpaged, pageSize: 10 }).list('r1')).toHaveLength(11);
    expect(server.received).toHaveLength(1);
  });

  test('H04: is no list where it does not: the rest of it may be missing', async () => {
    const server = await startArray();
    const error = await thrownBy(clientOf(server.url, { wire: arrays }).list('r1'));
    expect(error).toMatchObject({ name: 'ListUnstable' });
    expect(error.message).toContain('page 2 holds nothing new');
  });
});
