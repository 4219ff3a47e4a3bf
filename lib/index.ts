/**
 * The client of the endpoint service, for programs of your own. Everything else that steproll does is its
 * command line and its stack.
 */
export type { Auth } from './adapters/http/authorization.ts';
export type { ExchangeRecord } from './adapters/http/connection.ts';
export {
  createEndpointClient,
  type EndpointClientOptions,
} from './adapters/http/endpoint-client.ts';
export { createAwsSecret } from './adapters/secrets/aws-secret.ts';
export { createEnvironmentSecret } from './adapters/secrets/environment-secret.ts';
export { createFileSecret } from './adapters/secrets/file-secret.ts';
export type { SecretStore } from './adapters/secrets/secret-store.ts';
export { systemClock } from './adapters/system-clock.ts';
export { type EndpointUrlOptions, parseEndpointUrl } from './contract/endpoint-url.ts';
export { DEFAULT_WIRE, type WireMapping, wireMappingSchema } from './contract/wire.ts';
export type { Endpoint, EndpointPage } from './domain/endpoint.ts';
export { ErrorName, SteprollError, type SteprollErrorOptions } from './domain/errors.ts';
export type { Clock } from './ports/clock.ts';
export type { CreateInput, EndpointService, PageQuery } from './ports/endpoint-service.ts';
