import { readServiceEnv, type ServiceSettings } from '../../contract/function-env.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { createEndpointClient } from '../http/endpoint-client.ts';
import { systemClock } from '../system-clock.ts';

/**
 * The service that a function calls, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openService(): EndpointService {
  return serviceOf(readServiceEnv(process.env));
}

export function serviceOf({ endpointUrl, wire }: ServiceSettings): EndpointService {
  return createEndpointClient({ baseUrl: endpointUrl, wire, clock: systemClock });
}
