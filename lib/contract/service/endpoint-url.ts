import * as z from 'zod';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { reachOf } from './address.ts';

export interface EndpointUrlOptions {
  /**
   * Accept http for hosts other than this machine.
   * @default false
   */
  readonly allowPlainHttp?: boolean;
  /**
   * Accept http for names below `.localhost`. The caller must take them to this machine without asking anybody.
   * @default false
   */
  readonly allowLocalNames?: boolean;
}

/**
 * The service's base URL: origin and path prefix, without trailing slashes.
 *
 * It must be https, or http to this machine. Credentials, a query and a fragment are not allowed. Neither are
 * addresses that no service has, in any notation: link-local addresses, and those from which a machine hands out its
 * own credentials. Throws `InvalidInput` with every fault.
 */
export function parseEndpointUrl(value: string, options: EndpointUrlOptions = {}): string {
  const url = URL.parse(value);
  if (url === null) throw invalid(['not a URL']);
  const faults = [
    ...faultsOfText(value),
    ...faultsOfScheme(url, options),
    ...faultsOfAddress(url, value),
  ];
  if (faults.length > 0) throw invalid(faults);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The same check as a schema. Its mistakes show the URL without parts that may be a secret. */
export const endpointUrlSchema = z.string().transform((text, context) => {
  try {
    return parseEndpointUrl(text);
  } catch (error) {
    const message = errorMessageOf(error).replace(/^endpoint URL: /, '');
    context.addIssue({ code: 'custom', message, input: withoutSecrets(text) });
    return z.NEVER;
  }
});

/** The URL in a form that a person can recognize: user, password, query and fragment are hidden. */
function withoutSecrets(text: string): string {
  if (!/[@?#]/.test(text)) return text;
  const url = URL.parse(text);
  if (url === null || url.host === '') return HIDDEN;
  const user = url.username + url.password === '' ? '' : `${HIDDEN}@`;
  const query = url.search === '' ? '' : `?${HIDDEN}`;
  const fragment = url.hash === '' ? '' : `#${HIDDEN}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${query}${fragment}`;
}

const HIDDEN = '(hidden)';

function faultsOfText(value: string): string[] {
  const faults: string[] = [];
  // The URL parser silently drops tabs and newlines and turns backslashes into slashes.
  if (/[\s\p{Cc}\\]/u.test(value)) {
    faults.push('white space, control characters and backslashes are not allowed');
  }
  if (/^[^/]*\/*[^/?#]*@/.test(value)) {
    faults.push('a user name or password is not allowed');
  }
  if (value.includes('?')) {
    faults.push('a query is not allowed');
  }
  if (value.includes('#')) {
    faults.push('a fragment is not allowed');
  }
  if (value.includes('{region}')) {
    faults.push('{region} stands for the region, and no region is set');
  } else if (/[{}]/.test(value)) {
    faults.push('only {region} may stand in braces');
  }
  return faults;
}

function faultsOfScheme(
  url: URL,
  { allowPlainHttp = false, allowLocalNames = false }: EndpointUrlOptions,
): string[] {
  if (url.protocol === 'https:') return [];
  if (url.protocol !== 'http:') {
    return ['it must start with https://, or with http:// for this machine'];
  }
  const isLocal = allowLocalNames && isLocalName(url.hostname);
  return allowPlainHttp || isLocal || isLoopback(url.hostname)
    ? []
    : ['http is only for this machine (localhost, 127.0.0.0/8, [::1]): use https'];
}

function faultsOfAddress(url: URL, value: string): string[] {
  const host = url.hostname;
  if (IPV4.test(host) && !value.includes(host)) return [`the address is ${host}, write it so`];
  const isReachable = !isAddress(host) || reachOf(withoutBrackets(host)) !== 'none';
  return isReachable ? [] : [`the address ${host} is not allowed`];
}

/** The URL parser has turned every notation of an IPv4 address into this one. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

function isAddress(host: string): boolean {
  return IPV4.test(host) || host.startsWith('[');
}

/** The form in which the URL parser writes an IPv6 address, without its brackets. */
function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Whether a name leads to this machine by its meaning (RFC 6761), whatever a resolver says. */
export function isLocalName(host: string): boolean {
  return /\.localhost$/i.test(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isAddress(host) && reachOf(withoutBrackets(host)) === 'loopback');
}

function invalid(faults: readonly string[]): SteprollError {
  // The URL itself is not in the message, because it may contain a password.
  return new SteprollError(ErrorName.InvalidInput, `endpoint URL: ${faults.join('; ')}`);
}

/** The place of the region in a base URL. */
const PLACEHOLDER = '{region}';

/** The name of a region. It contains no character that could change the meaning of a URL. */
export const regionSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'use lower-case letters, digits and hyphens: eu-central-1',
  );

/**
 * Fills the region into the base URL and does not check the URL. Without a region the URL stays as it is, and
 * `parseEndpointUrl` says what is missing.
 */
export function fillRegion(url: string, region: unknown): string {
  if (region === undefined) return url;
  // An invalid region is a mistake of its own: it is reported once, and never becomes part of a URL.
  const { success, data } = regionSchema.safeParse(region);
  return url.replaceAll(PLACEHOLDER, success ? data : 'region');
}
