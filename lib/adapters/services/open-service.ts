import type { NetworkSettings } from '../../contract/config/network.ts';
import type { ServiceSettings } from '../../contract/config/service.ts';
import type { ServiceKind } from '../../contract/service/services.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { createNetwork, type OpenSockets } from '../http/network.ts';
import type { EndpointClientOptions } from './rest/client.ts';

/**
 * Opens the sockets of all calls in the way that the settings say: those of the service, of gates and of whatever else
 * asks over HTTP. What TLS needs is read when the first call needs it.
 */
export async function openNetwork({ tls }: NetworkSettings): Promise<OpenSockets> {
  if (tls === undefined) return createNetwork();
  const { openTls } = await import('../credentials/tls.ts');
  return createNetwork(openTls(tls));
}

interface OpeningOptions
  extends Pick<EndpointClientOptions, 'clock' | 'openSockets' | 'onExchange' | 'excerptLength'> {
  /** Name of the place that the credentials come from, for errors. @default - it has no name */
  readonly credentialsFrom?: string;
}

/**
 * The only kind of service that a bundle of a function is for, a constant that bundling fills in. So the bundle does
 * not carry the client of the other kind. Outside of such bundles there is no constant, and both kinds can be opened.
 */
declare const ONLY_SERVICE: ServiceKind | undefined;

/** Opens the service that the settings name, with its client, which is loaded here. */
export async function openEndpointService(
  service: ServiceSettings,
  { credentialsFrom, ...options }: OpeningOptions,
): Promise<EndpointService & { close(): Promise<void> }> {
  if ((typeof ONLY_SERVICE !== 'string' || ONLY_SERVICE === 'rest') && service.kind === 'rest') {
    const { createEndpointClient } = await import('./rest/client.ts');
    const { openAuth } = await import('../credentials/authorization.ts');
    const { endpointUrl, auth, wire } = service;
    return createEndpointClient({
      baseUrl: endpointUrl,
      auth: openAuth(auth, credentialsFrom),
      wire,
      ...options,
    });
  }
  if (
    (typeof ONLY_SERVICE !== 'string' || ONLY_SERVICE === 'agentcore') &&
    service.kind === 'agentcore'
  ) {
    const { openAgentCoreService } = await import('./agentcore/client.ts');
    return openAgentCoreService({ region: service.region, of: service.of, ...options });
  }
  const message = `The service is ${service.kind}, and this function was not bundled for it.`;
  throw new SteprollError(ErrorName.InvalidInput, message);
}
