import type { NetworkSettings } from '../../contract/config/network.ts';
import type { ServiceSettings } from '../../contract/config/service.ts';
import type { ServiceKind } from '../../contract/service/services.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { ExchangeRecord } from '../http/connection.ts';
import { createNetwork, type OpenSockets } from '../http/network.ts';

/**
 * Opens the sockets of all calls in the way that the settings say: those of the service, of gates and of whatever else
 * asks over HTTP. What TLS needs is read when the first call needs it.
 */
export async function openNetwork({ tls }: NetworkSettings): Promise<OpenSockets> {
  if (tls === undefined) return createNetwork();
  const { openTls } = await import('../credentials/tls.ts');
  return createNetwork(openTls(tls));
}

export interface OpeningOptions {
  /** The clock for deadlines and waits. */
  readonly clock: Clock;
  /** Opens the sockets. @default - with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets;
  /** Name of the place that the credentials come from, for errors. @default - it has no name */
  readonly credentialsFrom?: string;
  /** Is called with every exchange, without secrets. @default - nobody is called */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
  /** The most characters of an answer's body that `onExchange` gets, at most 65,536. @default 256 */
  readonly excerptLength?: number;
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
    return openAgentCoreService({ region: service.region, ...options });
  }
  const message = `The service is ${service.kind}, and this function was not bundled for it.`;
  throw new SteprollError(ErrorName.InvalidInput, message);
}
