import { type Page, pathOf, readPages, type Variant } from './read-pages.ts';

export function sweepFetch(url: string, concurrency: number): Variant {
  async function readPage(page: number): Promise<Page> {
    const response = await fetch(url + pathOf(page));
    return (await response.json()) as Page;
  }

  return { sweep: () => readPages(concurrency, readPage), close: () => {} };
}
