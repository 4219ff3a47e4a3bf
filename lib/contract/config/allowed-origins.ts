import * as z from 'zod';
import { invalidInput, parseInput } from '../input/parse-input.ts';
import { faultOfPlainHttp } from '../service/endpoint-url.ts';
import type { NetworkSettings } from './network.ts';
import type { ServiceSettings } from './service.ts';

/**
 * Key in the context of a CDK app: the origins that a deployment may send its credentials to. With it, people who may
 * change the configuration still cannot point the credentials elsewhere.
 */
export const ALLOWED_ORIGINS = 'steproll:allowedOrigins';

/**
 * Checks where a deployment is going to send its credentials. Without allowed origins it must be a host name, over
 * https or as `allowHttp` says. With them it must be one of them, exactly as it is listed.
 *
 * @param allowed The value in the context: a list, or a text with commas. @default - any host name
 * @param isLate Whether a URL is known only where the stack is deployed. Then functions check it when they load.
 * @returns What these functions have to know; `undefined`: all URLs were checked.
 * @throws `InvalidInput` that lists every mistake.
 */
export function checkOrigins(
  { service, allowHttp }: NetworkSettings & { readonly service: ServiceSettings },
  allowed: unknown,
  isLate: (url: string) => boolean = () => false,
): LateUrls | undefined {
  const { [ALLOWED_ORIGINS]: origins } = parseInput(
    contextSchema,
    { [ALLOWED_ORIGINS]: allowed },
    'context of the CDK app',
  );
  // The AWS SDK sends the credentials of a role to AWS alone.
  const urls = urlsOf(service);
  const known = urls.filter(([, url]) => !isLate(url));
  const mistakes = known.flatMap(([path, url]) => {
    const mistake = mistakeOf(new URL(url), origins, allowHttp);
    return mistake === undefined ? [] : [`${path}: "${url}" is not allowed; ${mistake}`];
  });
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
  return known.length < urls.length ? { allowedOrigins: origins } : undefined;
}

/** The same for a function, for URLs that were not known before. @throws `InvalidInput` that lists every mistake. */
export function checkLateUrls(
  config: NetworkSettings & { readonly service: ServiceSettings },
  { allowedOrigins }: LateUrls,
): void {
  const plain = urlsOf(config.service).flatMap(([path, url]) => {
    const fault = faultOfPlainHttp(url, config.allowHttp);
    return fault === undefined ? [] : [`${path}: ${fault}`];
  });
  if (plain.length > 0) throw invalidInput('environment', plain);
  checkOrigins(config, allowedOrigins);
}

/** What the deployment has to say to those who check URLs in its place. */
export interface LateUrls {
  /** The origins that the context of the app allows. @default - any with a host name */
  readonly allowedOrigins?: readonly string[] | undefined;
}

function urlsOf(service: ServiceSettings): readonly (readonly [string, string])[] {
  if (service.kind === 'agentcore') return [];
  const { endpointUrl, auth } = service;
  return [
    ['endpointUrl', endpointUrl],
    ...(auth.kind === 'client-credentials' ? [['auth.tokenUrl', auth.tokenUrl] as const] : []),
  ];
}

const originSchema = z
  .string()
  .refine(
    (text) => URL.parse(text)?.origin === text && !text.includes('*'),
    'use an exact origin: https://endpoints.example.com',
  );

const contextSchema = z.object({
  [ALLOWED_ORIGINS]: z
    .preprocess(
      // The command line can only pass text: `-c steproll:allowedOrigins=https://…,https://…`.
      (value) => (typeof value === 'string' ? value.split(',') : value),
      z.array(originSchema).optional(),
    )
    .optional(),
});

function mistakeOf(
  url: URL,
  allowed: readonly string[] | undefined,
  allowHttp: readonly string[] = [],
): string | undefined {
  if (allowed?.includes(url.origin)) return undefined;
  if (allowed !== undefined) {
    return `the context "${ALLOWED_ORIGINS}" has ${allowed.join(', ') || 'no origin'}`;
  }
  // The configuration was checked, so a host with plain http is this machine, or somebody has named it there.
  const isMeant = url.protocol === 'https:' || allowHttp.length > 0;
  return isMeant && !ADDRESS.test(url.hostname)
    ? undefined
    : `use https and a host name, or allow ${url.origin} in the context "${ALLOWED_ORIGINS}"`;
}

/** An IPv4 or IPv6 address, or a name of the machine itself. The URL parser writes every notation like this. */
const ADDRESS = /^(\d+\.\d+\.\d+\.\d+|\[.*\]|(.*\.)?localhost)\.?$/;
