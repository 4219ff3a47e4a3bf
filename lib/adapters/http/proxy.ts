import ipaddr from 'ipaddr.js';
import { isLocalName, isThisMachine } from '../../contract/service/endpoint-url.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { rememberSecret } from './known-secrets.ts';

export interface HttpProxy {
  /** Scheme, host and port, for people too: it never has a user or a password. */
  readonly origin: string;
  /** `user:password`. A secret. `null`: the proxy asks for nothing. */
  readonly login: string | null;
  /** Name of the variable that names the proxy. */
  readonly variable: string;
}

export interface ProxyRoute {
  /** `null`: the call goes directly. */
  readonly proxy: HttpProxy | null;
  /** The entry of NO_PROXY for which the call goes directly, although there is a proxy. @default - none */
  readonly exception?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The way to an origin, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say it, in capitals or not. This machine is never
 * called through a proxy: there the name would mean the proxy's own machine.
 *
 * @throws `InvalidInput` for a proxy that cannot be used. The message never has its user or its password.
 */
export function routeTo(origin: string, variables: Variables = process.env): ProxyRoute {
  const { protocol, hostname, port } = new URL(origin);
  if (isThisMachine(hostname) || isLocalName(hostname)) return { proxy: null };
  const { name, value } = find(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', variables);
  if (value === undefined) return { proxy: null };
  const target = { host: bare(hostname), port: port || (protocol === 'https:' ? '443' : '80') };
  const exception = find('NO_PROXY', variables)
    .value?.split(/[\s,]+/)
    .find((entry) => entry !== '' && covers(entry.toLowerCase(), target));
  return exception === undefined ? { proxy: parseProxy(value, name) } : { proxy: null, exception };
}

/** The headers that a proxy gets, and no server behind it. */
export function credentialsFor({ login }: HttpProxy): Readonly<Record<string, string>> {
  if (login === null) return {};
  rememberSecret(login);
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** Whether the environment names a proxy for any call. */
export function hasProxy(variables: Variables = process.env): boolean {
  return ['HTTPS_PROXY', 'HTTP_PROXY'].some((name) => find(name, variables).value !== undefined);
}

/** Like curl, the name in small letters first. An empty variable counts as not set. */
function find(variable: string, variables: Variables) {
  const names = [variable.toLowerCase(), variable];
  const name = names.find((one) => variables[one]) ?? variable;
  return { name, value: variables[name] || undefined };
}

function parseProxy(text: string, variable: string): HttpProxy {
  // `proxy:3128` is as usual as `http://proxy:3128`.
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  const login = isUsable ? decode(`${url.username}:${url.password}`) : null;
  if (!isUsable || login === null) {
    const shown = isUsable
      ? `${url.protocol}//(hidden)@${url.host}`
      : (url?.protocol ?? '(hidden)');
    throw new SteprollError(
      ErrorName.InvalidInput,
      `${variable}: ${JSON.stringify(shown)} is not allowed; use http://HOST:PORT or https://HOST:PORT, with a user and a password in percent-encoding if the proxy wants them`,
    );
  }
  return { origin: url.origin, login: login === ':' ? null : login, variable };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

interface Target {
  /** In small letters, an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: string;
}

/**
 * Whether an entry of NO_PROXY means a host: `*`, a name with everything below it, `.name` and `*.name` likewise, an
 * address, or a range of addresses; with `:port` only at that port.
 */
function covers(entry: string, { host, port }: Target): boolean {
  const [, name = entry, only = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (only !== port) return false;
  const pattern = bare(name).replace(/^\*?\./, '');
  if (pattern === '*' || pattern === host || host.endsWith(`.${pattern}`)) return true;
  return ipaddr.isValidCIDR(pattern) && ipaddr.isValid(host) && isInRange(host, pattern);
}

function isInRange(host: string, range: string): boolean {
  const address = ipaddr.parse(host);
  const [start, bits] = ipaddr.parseCIDR(range);
  return address.kind() === start.kind() && address.match(start, bits);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
