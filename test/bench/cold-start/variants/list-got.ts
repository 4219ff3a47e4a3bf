import got, { type Method } from 'got';
import { listEndpoints } from '../../../../lib/handlers/endpoints.ts';
import { serviceOver } from './service-over.ts';

export async function handler(event: unknown): Promise<unknown> {
  const service = serviceOver((method, url, json) =>
    got(url, { method: method as Method, ...(json !== undefined && { json }) }).json(),
  );
  return listEndpoints(event, service);
}
