import type { ExchangeRecord } from '../../adapters/http/connection.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { ServiceSettings } from '../../contract/config/service.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { DEFAULT_WIRE } from '../../contract/service/wire.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { plainText } from '../../telling/text.ts';
import { answerTo } from '../invocation/exit-code.ts';
import { describeUnread, type Prepared } from './prepare.ts';
import { placeOf, serviceOf } from './settings.ts';

export type Connecting<T = object> = Prepared<
  T & {
    readonly '--endpoint-url': string;
    readonly '--region'?: string | undefined;
    readonly '--debug': boolean;
    readonly '--debug-answers': boolean;
  }
>;

/** Opens the endpoint service in the way that the options say. */
export async function connect(prepared: Connecting) {
  const { options, credentials } = prepared;
  // The client is loaded here, so that a mistake in the arguments is told without it.
  const { openEndpointService, openNetwork } = await import(
    '../../adapters/services/open-service.ts'
  );
  const { LONGEST_EXCERPT } = await import('../../adapters/http/excerpt.ts');
  const isWhole = options['--debug-answers'];
  return openEndpointService(settingsOfService(prepared), {
    clock: systemClock,
    openSockets: await openNetwork(prepared.config),
    credentialsFrom: credentials.from,
    ...((options['--debug'] || isWhole) && { onExchange: await printExchanges() }),
    ...(isWhole && { excerptLength: LONGEST_EXCERPT }),
  });
}

/** Opens the gates. Their calls go out in the way that the configuration says for all calls. */
export async function openGatesOf({ config }: Pick<Prepared<object>, 'config'>) {
  const { openGates } = await import('../../adapters/gates/gates.ts');
  const { openNetwork } = await import('../../adapters/services/open-service.ts');
  return openGates(await openNetwork(config));
}

async function printExchanges() {
  const { describeExchange } = await import('./debug.ts');
  return (exchange: ExchangeRecord) =>
    void process.stderr.write(`${describeExchange(exchange).join('\n')}\n`);
}

function settingsOfService({
  options,
  settings,
  config,
  credentials: { settings: auth },
}: Connecting): ServiceSettings {
  const { '--endpoint-url': endpointUrl, '--region': region = '' } = options;
  return auth.kind === 'aws'
    ? { kind: 'agentcore', of: serviceOf(settings).of ?? 'runtime', region }
    : { kind: 'rest', endpointUrl, auth, wire: config.wire ?? DEFAULT_WIRE };
}

/**
 * Refuses the id of a runtime that the service cannot have. A start that asks nobody sends nothing before there is a
 * rollout, and a mistake must not become one that has failed.
 *
 * @throws `InvalidInput`
 */
export async function refuseRuntimeId(
  { credentials, settings }: Pick<Prepared<object>, 'credentials' | 'settings'>,
  runtimeId: string,
): Promise<void> {
  if (credentials.settings.kind !== 'aws' || groupNameOf(runtimeId) !== null) return;
  const { faultOfResourceId } = await import('../../contract/config/service.ts');
  const mistake = faultOfResourceId(runtimeId, serviceOf(settings));
  if (mistake === null) return;
  throw invalidInput('arguments', [`runtime-id: ${JSON.stringify(runtimeId)}; ${mistake}`]);
}

/** Refuses credentials that cannot be sent, for the same reason. @throws `SecretUnavailable`, `InvalidCredential`. */
export async function refuseSecret({
  config: { tls },
  credentials: { settings, from },
}: Pick<Prepared<object>, 'config' | 'credentials'>): Promise<void> {
  if (tls !== undefined) {
    const { tryLocalTls } = await import('../../adapters/credentials/tls.ts');
    await tryLocalTls(tls);
  }
  if (settings.kind === 'none' || settings.kind === 'aws') return;
  const { tryLocalSecret } = await import('../../adapters/credentials/authorization.ts');
  await tryLocalSecret(settings, from);
}

/** Where the service and its tokens are, for plans. */
export function fromOf({
  settings,
  credentials: { settings: auth },
}: Pick<Connecting, 'settings' | 'credentials'>) {
  const tokenUrl = auth.kind === 'client-credentials' ? auth.tokenUrl : undefined;
  return { source: placeOf('--endpoint-url', settings), tokenUrl };
}

/** Where the URL or the credentials of a failed call came from, for errors that these explain. */
export function describeSource(name: string, prepared: Connecting): string[] {
  const { options, settings, credentials } = prepared;
  const { source } = answerTo(name);
  if (source === 'address') {
    const url = options['--endpoint-url'];
    const place = placeOf('--endpoint-url', settings);
    const line = plainText(`The endpoint URL is ${url}, from ${place}.`);
    // Who has typed the URL expects it from no file, and a service that knows the path is mostly the right one.
    const isMeant =
      settings.get('--endpoint-url')?.from === '--endpoint-url' ||
      name === ErrorName.UpstreamNotFound;
    return [line, ...(isMeant ? [] : describeUnread(settings))];
  }
  if (source !== 'credentials') return [];
  const { settings: auth, from, leftOut } = credentials;
  if (auth.kind === 'aws') return [SIGNED];
  if (auth.kind !== 'none') return [plainText(`The credentials are from ${from}.`)];
  const why = leftOut === undefined ? [] : [plainText(`${leftOut}.`)];
  return [NO_CREDENTIALS, ...why, ...describeUnread(settings)];
}

const SIGNED =
  'The request was signed with the credentials that the AWS SDK finds: AWS_PROFILE, or a role, chooses others.';

const NO_CREDENTIALS =
  'No credentials were sent: set STEPROLL_TOKEN, token_file in a profile, or auth in the configuration.';

/**
 * Opens the endpoint service that the options name, does the work, and closes the service.
 *
 * @throws what the work throws. When the service cannot be reached, it adds where the URL came from.
 */
export async function withService<T>(
  prepared: Connecting,
  work: (service: EndpointService) => Promise<T>,
): Promise<T> {
  const service = await connect(prepared);
  try {
    return await work(service);
  } catch (error) {
    throw withSource(error, prepared);
  } finally {
    await service.close();
  }
}

function withSource(error: unknown, prepared: Connecting): unknown {
  if (!(error instanceof SteprollError)) return error;
  const source = describeSource(error.name, prepared);
  if (source.length === 0) return error;
  const message = [errorMessageOf(error), ...source].join('\n');
  return new SteprollError(error.name, message, { cause: error });
}
