import axios from 'axios';
import { listEndpoints } from '../../../../lib/handlers/endpoints.ts';
import { serviceOver } from './service-over.ts';

export async function handler(event: unknown): Promise<unknown> {
  const service = serviceOver(async (method, url, data) => {
    const answer = await axios.request({ method, url, data });
    return answer.data;
  });
  return listEndpoints(event, service);
}
