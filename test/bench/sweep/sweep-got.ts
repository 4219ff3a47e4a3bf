import { Agent } from 'node:http';
import got from 'got';
import { type Page, pathOf, readPages, type Variant } from './read-pages.ts';

export function sweepGot(url: string, concurrency: number): Variant {
  const http = new Agent({ keepAlive: true, maxSockets: concurrency });
  const client = got.extend({ agent: { http } });

  function readPage(page: number): Promise<Page> {
    return client.get(url + pathOf(page)).json<Page>();
  }

  return { sweep: () => readPages(concurrency, readPage), close: () => http.destroy() };
}
