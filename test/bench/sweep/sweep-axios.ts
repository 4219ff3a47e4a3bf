import { Agent } from 'node:http';
import axios from 'axios';
import { type Page, pathOf, readPages, type Variant } from './read-pages.ts';

export function sweepAxios(url: string, concurrency: number): Variant {
  const httpAgent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const client = axios.create({ baseURL: url, httpAgent });

  async function readPage(page: number): Promise<Page> {
    const { data } = await client.get<Page>(pathOf(page));
    return data;
  }

  return { sweep: () => readPages(concurrency, readPage), close: () => httpAgent.destroy() };
}
