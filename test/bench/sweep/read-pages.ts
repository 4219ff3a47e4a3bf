/** One HTTP client, ready to read the whole list again and again. */
export interface Variant {
  /** Answers how many endpoints it read. */
  sweep(): Promise<number>;
  close(): unknown;
}

/** Just what a sweep needs of a page. */
export interface Page {
  readonly listData: readonly unknown[];
  readonly totalPage: number;
}

export const PAGE_SIZE = 100;

export function pathOf(page: number): string {
  return `/agent-runtimes/shop/endpoints?page=${page}&size=${PAGE_SIZE}`;
}

/** How many endpoints all pages hold: the first page, then the rest, `concurrency` at a time. */
export async function readPages(
  concurrency: number,
  readPage: (page: number) => Promise<Page>,
): Promise<number> {
  const first = await readPage(1);
  const rows = [...first.listData];
  let next = 2;
  async function readOn(): Promise<void> {
    while (next <= first.totalPage) {
      const page = next;
      next += 1;
      rows.push(...(await readPage(page)).listData);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, readOn));
  return rows.length;
}
