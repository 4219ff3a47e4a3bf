import { listEndpoints } from '../../../../lib/handlers/endpoints.ts';
import { askFetch } from './ask-fetch.ts';
import { serviceOver } from './service-over.ts';

export async function handler(event: unknown): Promise<unknown> {
  return listEndpoints(event, serviceOver(askFetch));
}
