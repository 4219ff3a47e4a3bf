import { readFunctionEnv } from '../../../../lib/contract/functions/environment.ts';
import { REST_ABILITIES } from '../../../../lib/contract/service/services.ts';
import { parseEndpoint, parseEndpointPage } from '../../../../lib/contract/service/wire.ts';
import type { EndpointService } from '../../../../lib/ports/endpoint-service.ts';

/** Sends a request and answers the JSON of the answer. */
export type Ask = (method: string, url: string, json?: object) => Promise<unknown>;

/** The service over an HTTP client, without deadlines, retries or credentials. */
export function serviceOver(ask: Ask): EndpointService {
  const { service } = readFunctionEnv(process.env, ['service']);
  if (service.kind !== 'rest') throw new Error(`not for ${service.kind}`);
  const { endpointUrl, wire } = service;
  const pathTo = (runtimeId: string) => `${endpointUrl}/agent-runtimes/${runtimeId}/endpoints`;
  const listPage: EndpointService['listPage'] = async (runtimeId, { page, size }) => {
    const url = `${pathTo(runtimeId)}?page=${page}&size=${size}`;
    return parseEndpointPage(await ask('GET', url), wire, url);
  };
  return {
    url: endpointUrl,
    abilities: REST_ABILITIES,
    listPage,
    list: async (runtimeId) => (await listPage(runtimeId, { page: 1, size: 100 })).endpoints,
    create: async (runtimeId, input) =>
      parseEndpoint(await ask('POST', pathTo(runtimeId), input), wire, 'create'),
    roll: async (runtimeId, endpointId, version) => {
      const url = `${pathTo(runtimeId)}/${endpointId}?version=${version}`;
      return parseEndpoint(await ask('PUT', url), wire, 'roll');
    },
    stop: async (runtimeId, endpointId) => {
      await ask('POST', `${pathTo(runtimeId)}/${endpointId}/stop`);
    },
    listVersions: () => Promise.reject(new Error('It cannot.')),
  };
}
