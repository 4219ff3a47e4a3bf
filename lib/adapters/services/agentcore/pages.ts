import { ErrorName, SteprollError } from '../../../domain/errors.ts';

export interface TokenPage<Item> {
  readonly items: readonly Item[];
  /** Names the next page; `null` on the last one. */
  readonly nextToken: string | null;
}

type ReadPage<Item> = (token: string | undefined) => Promise<TokenPage<Item>>;

/** A runtime has at most 1,000 versions and far fewer endpoints. Pages may be shorter than what was asked for. */
const MAX_PAGES = 1_000;

/**
 * The pages of a list, one after the other. Only the end of a list has no token, so pages in between may be empty.
 *
 * @throws `ListUnstable` when a token comes again or the list does not end.
 */
export async function* readPages<Item>(
  readPage: ReadPage<Item>,
): AsyncGenerator<TokenPage<Item>, void, undefined> {
  const seen = new Set<string>();
  let token: string | undefined;
  for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
    const page = await readPage(token);
    yield page;
    const { nextToken } = page;
    if (nextToken === null) return;
    if (seen.has(nextToken)) throw unstable(`page ${pages} leads back to a page before it`);
    seen.add(nextToken);
    token = nextToken;
  }
  throw unstable(`it has more than ${MAX_PAGES} pages`);
}

/**
 * All items of a list, each once.
 *
 * @param keyOf Names an item.
 * @throws `ListUnstable` when the pages do not make one list.
 */
export async function readAll<Item>(
  readPage: ReadPage<Item>,
  keyOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const items = new Map<string, Item>();
  for await (const page of readPages(readPage)) {
    for (const item of page.items) {
      const key = keyOf(item);
      if (items.has(key)) throw unstable(`${key} is in it twice`);
      items.set(key, item);
    }
  }
  return [...items.values()];
}

function unstable(reason: string): SteprollError {
  return new SteprollError(ErrorName.ListUnstable, `the list cannot be read: ${reason}`);
}
