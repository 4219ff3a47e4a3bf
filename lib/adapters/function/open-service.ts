import {
  readFunctionEnv,
  SERVICE_SETTINGS,
  type ServiceSettings,
} from '../../contract/function-env.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { openAuth } from '../auth/open-auth.ts';
import { createEndpointClient } from '../http/endpoint-client.ts';
import { systemClock } from '../system-clock.ts';

/**
 * The service that a function calls, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openService(): EndpointService {
  return serviceOf(readFunctionEnv(process.env, SERVICE_SETTINGS));
}

/** What the function works with that creates endpoints: it may have to wait before it looks again. */
export function openCreate(): { readonly service: EndpointService; readonly clock: Clock } {
  return { service: openService(), clock: systemClock };
}

export function serviceOf({ endpointUrl, auth, wire }: ServiceSettings): EndpointService {
  return createEndpointClient({
    baseUrl: endpointUrl,
    auth: openAuth(auth),
    wire,
    clock: systemClock,
  });
}
