/** The client of the endpoint service, for your own programs. Else, steproll is its command line and its stack. */
export type { Auth } from './adapters/credentials/authorization.ts';
export type { SecretStore } from './adapters/credentials/secrets.ts';
export {
  createAwsSecret,
  createEnvironmentSecret,
  createFileSecret,
} from './adapters/credentials/secrets.ts';
export type { ExchangeRecord } from './adapters/http/connection.ts';
export { systemClock } from './adapters/machine/clock.ts';
export {
  createEndpointClient,
  type EndpointClientOptions,
} from './adapters/services/rest/client.ts';
export { type EndpointUrlOptions, parseEndpointUrl } from './contract/service/endpoint-url.ts';
export { DEFAULT_WIRE, type WireMapping, wireMappingSchema } from './contract/service/wire.ts';
export type { Endpoint, EndpointPage } from './domain/endpoint/endpoint.ts';
export { ErrorName, SteprollError, type SteprollErrorOptions } from './domain/errors.ts';
export type { Clock } from './ports/clock.ts';
export type { CreateInput, EndpointService, PageQuery } from './ports/endpoint-service.ts';
