import { Pool } from 'undici';
import { type Page, pathOf, readPages, type Variant } from './read-pages.ts';

export function sweepUndici(url: string, concurrency: number): Variant {
  const pool = new Pool(url, { connections: concurrency });

  async function readPage(page: number): Promise<Page> {
    const { body } = await pool.request({ method: 'GET', path: pathOf(page) });
    return JSON.parse(await body.text());
  }

  return { sweep: () => readPages(concurrency, readPage), close: () => pool.close() };
}
