import { expect, test } from '@jest/globals';
import { readAll, type TokenPage } from '../../../../lib/adapters/services/agentcore/pages.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';

/** Reads pages that are named by their tokens; the first one has the token `first`. */
function source(pages: Readonly<Record<string, TokenPage<string>>>) {
  return async (token = 'first') => {
    const page = pages[token];
    if (page === undefined) throw new Error(`no page ${token}`);
    return page;
  };
}

const itself = (item: string) => item;

test('reads page after page until one has no token, also behind an empty one', async () => {
  const pages = source({
    first: { items: ['a', 'b'], nextToken: 'second' },
    second: { items: [], nextToken: 'third' },
    third: { items: ['c'], nextToken: null },
  });

  expect(await readAll(pages, itself)).toEqual(['a', 'b', 'c']);
});

test.each([
  [
    'a token that comes again',
    source({
      first: { items: ['a'], nextToken: 'second' },
      second: { items: ['b'], nextToken: 'second' },
    }),
    'the list cannot be read: page 2 leads back to a page before it',
  ],
  [
    'an item that is there twice',
    source({
      first: { items: ['a'], nextToken: 'second' },
      second: { items: ['b', 'a'], nextToken: null },
    }),
    'the list cannot be read: a is in it twice',
  ],
  [
    'a list without an end',
    async (token = '0') => ({ items: [], nextToken: String(Number(token) + 1) }),
    'the list cannot be read: it has more than 1000 pages',
  ],
])('takes no list from %s', async (_what, pages, message) => {
  await expect(readAll(pages, itself)).rejects.toMatchObject({
    name: ErrorName.ListUnstable,
    message,
  });
});
