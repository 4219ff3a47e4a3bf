import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { createEndpointClient } from '../../../lib/adapters/services/rest/client.ts';
import { PAGE_SIZE, type Variant } from './read-pages.ts';

export function sweepSteproll(url: string, concurrency: number): Variant {
  const client = createEndpointClient({
    baseUrl: url,
    clock: systemClock,
    pageSize: PAGE_SIZE,
    maxPagesInFlight: concurrency,
  });
  return { sweep: async () => (await client.list('shop')).length, close: () => client.close() };
}
