import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { matchesGlob } from '../../domain/glob.ts';
import { withoutFault } from '../input/checks.ts';

/**
 * Where an address leads.
 * - `public`: to a host of the internet.
 * - `private`: at most to a host of a private network.
 * - `loopback`: to this machine.
 * - `none`: to no host that a service could have. These are addresses from which a machine hands out its own
 *   credentials, link-local addresses, and tunnels, which may lead to any of them.
 */
export type Reach = 'public' | 'private' | 'loopback' | 'none';

/** @param text An IPv4 or IPv6 address. Any other text leads nowhere. */
export function reachOf(text: string): Reach {
  const zoneless = text.replace(/%.*$/s, '');
  if (!ipaddr.isValid(zoneless)) return 'none';
  const address = ipaddr.parse(zoneless);
  const inner = embeddedIn(address);
  if (inner === null) return METADATA.has(address.toString()) ? 'none' : reachOfRange(address);
  const reach = reachOf(inner);
  // A gateway of the network would not take a loopback address to this machine.
  return reach === 'loopback' && isNat64(address) ? 'none' : reach;
}

type Address = ReturnType<typeof ipaddr.parse>;

/** The IPv4 address that a network takes an IPv6 address for. */
function embeddedIn(address: Address): string | null {
  if (address instanceof ipaddr.IPv4) return null;
  if (!address.isIPv4MappedAddress() && !isNat64(address)) return null;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4)).toString();
}

function isNat64(address: Address): boolean {
  return address instanceof ipaddr.IPv6 && address.match(NAT64);
}

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

function reachOfRange(address: Address): Reach {
  switch (address.range()) {
    case 'unicast':
      return isAssigned(address) ? 'public' : 'none';
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
    case 'benchmarking':
    case 'reserved':
      return 'private';
    case 'loopback':
      return 'loopback';
    default:
      return 'none';
  }
}

/** Only this range has IPv6 addresses of hosts. An old notation of IPv4 addresses is outside. */
const ASSIGNED = ipaddr.IPv6.parseCIDR('2000::/3');

function isAssigned(address: Address): boolean {
  return address instanceof ipaddr.IPv4 || address.match(ASSIGNED);
}

/** Metadata addresses of Azure, Alibaba, Oracle, AWS and Google that no range covers. */
const METADATA: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

export const allowHttpSchema = z
  .array(
    z
      .string()
      .max(253)
      .regex(
        /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i,
        'use a host, or *. before the end of names: *.svc.cluster.local',
      ),
  )
  .max(20);

export interface EndpointUrlOptions {
  /** Accept http for hosts other than this machine. @default false */
  readonly allowPlainHttp?: boolean;
  /** Accept http for these hosts: a name, or `*.` before the end of names. @default - none */
  readonly allowHttp?: readonly string[] | undefined;
  /** Accept http for names below `.localhost`, which the caller must take to this machine. @default false */
  readonly allowLocalNames?: boolean;
}

/**
 * The service's base URL: origin and path prefix, without trailing slashes.
 *
 * It must be https, or http to this machine or to a host in `allowHttp`. Credentials, a query and a fragment are not allowed. Neither are
 * addresses that no service has, in any notation: link-local addresses, and those from which a machine hands out its
 * own credentials. Throws `InvalidInput` with every fault.
 */
export function parseEndpointUrl(value: string, options: EndpointUrlOptions = {}): string {
  const faults = faultsOfEndpointUrl(value, options);
  if (faults.length > 0) throw invalid(faults);
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
}

/** What `parseEndpointUrl` would refuse, in words for each fault. The URL itself is not in them. */
export function faultsOfEndpointUrl(value: string, options: EndpointUrlOptions = {}): string[] {
  const url = URL.parse(value);
  if (url === null) return ['not a URL'];
  const ofText = FAULTS_OF_TEXT.filter(([pattern]) => pattern.test(value));
  return [
    ...ofText.map(([, fault]) => fault),
    ...faultsOfScheme(url, options),
    ...faultsOfAddress(url, value),
  ];
}

/** The same check as a schema. Its mistakes show the URL without parts that may be a secret. */
export function endpointUrlSchema(options: EndpointUrlOptions = {}) {
  return z.string().transform((text, context) => {
    const faults = faultsOfEndpointUrl(text, options);
    if (faults.length === 0) return parseEndpointUrl(text, options);
    const message = faults.join('; ');
    context.addIssue({ code: 'custom', message, input: withoutSecrets(text) });
    return z.NEVER;
  });
}

/**
 * A URL that is called as it was written: to some servers a slash at the end matters. Which hosts may be called over
 * plain http is said elsewhere in the configuration: `faultOfPlainHttp`.
 */
export const calledUrlSchema = z.string().check(withoutFault(faultOfCalledUrl));

/** Whatever is wrong with a URL but plain http. */
export function faultOfCalledUrl(url: string): string | null {
  return faultsOfEndpointUrl(url, { allowPlainHttp: true }).join('; ') || null;
}

/** Why a URL may not be called that `calledUrlSchema` accepts: over plain http, only these hosts may be called. */
export function faultOfPlainHttp(
  url: string,
  allowHttp: readonly string[] | undefined,
): string | undefined {
  // What else is wrong with the URL was reported already.
  if (faultOfCalledUrl(url) !== null) return undefined;
  return faultsOfEndpointUrl(url, { allowHttp })[0];
}

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

const FAULTS_OF_TEXT: readonly (readonly [RegExp, string])[] = [
  // The URL parser silently drops tabs and newlines and turns backslashes into slashes.
  [/[\s\p{Cc}\\]/u, 'white space, control characters and backslashes are not allowed'],
  [/^[^/]*\/*[^/?#]*@/, 'a user name or password is not allowed'],
  [/\?/, 'a query is not allowed'],
  [/#/, 'a fragment is not allowed'],
  [/\{region\}/, '{region} stands for the region, and no region is set'],
  [/^(?!.*\{region\}).*[{}]/s, 'only {region} may stand in braces'],
];

function faultsOfScheme(
  url: URL,
  { allowPlainHttp = false, allowLocalNames = false, allowHttp = [] }: EndpointUrlOptions,
): string[] {
  if (url.protocol === 'https:') return [];
  if (url.protocol !== 'http:') {
    return ['it must start with https://, or with http:// for this machine'];
  }
  const { hostname } = url;
  const isLocal = (allowLocalNames && isLocalName(hostname)) || isThisMachine(hostname);
  return allowPlainHttp || isLocal || allowHttp.some((pattern) => isWithin(hostname, pattern))
    ? []
    : [
        'http is only for this machine (localhost, 127.0.0.0/8, [::1]): use https, or name the host in allowHttp',
      ];
}

/** Whether a host has this name, or ends in it after `*.`. Cluster names have a part for each namespace. */
function isWithin(hostname: string, pattern: string): boolean {
  const name = pattern.toLowerCase();
  return name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name;
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

/** Whether a host, as the URL parser writes it, can only be this machine. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || (isAddress(host) && reachOf(withoutBrackets(host)) === 'loopback');
}

function invalid(faults: readonly string[]): SteprollError {
  // The URL itself is not in the message, because it may contain a password.
  return new SteprollError(ErrorName.InvalidInput, `endpoint URL: ${faults.join('; ')}`);
}

const PLACEHOLDER = '{region}';

/** The name of a region. It contains no character that could change the meaning of a URL. */
export const regionSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'use lower-case letters, digits and hyphens: eu-central-1',
  );

/** Fills the region into the base URL. Without one, `parseEndpointUrl` says what is missing. */
export function fillRegion(url: string, region: unknown): string {
  if (region === undefined) return url;
  // An invalid region is a mistake of its own: it is reported once, and never becomes part of a URL.
  const { success, data } = regionSchema.safeParse(region);
  return url.replaceAll(PLACEHOLDER, success ? data : 'region');
}

/**
 * Scheme, host and port of an endpoint's URL, if they may be asked.
 *
 * @param hosts Patterns of which the host must match one: `*` stands for any run of characters without a dot. The
 *   port does not matter.
 * @param allowHttp Hosts that may be asked over plain http. @default - none
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses, and for any other host.
 */
export function originToProbe(
  url: string,
  hosts: readonly string[],
  allowHttp?: readonly string[],
): string {
  // The query and the fragment are not sent, so they need not be checked.
  const options = { allowLocalNames: true, allowHttp };
  const whole = parseEndpointUrl(url.replace(/[?#].*$/s, ''), options);
  const { origin, hostname } = new URL(whole);
  if (!hosts.some((pattern) => matchesHost(pattern, hostname))) {
    const allowed = hosts.length > MAX_HOSTS ? `${hosts.length} patterns` : hosts.join(', ');
    throw new SteprollError(
      ErrorName.InvalidInput,
      `endpoint URL: the host ${hostname} is not in verify.probe.hosts (${allowed})`,
    );
  }
  return origin;
}

const MAX_HOSTS = 3;

/** The names are compared part by part, so that `*` cannot match a dot. */
export function matchesHost(pattern: string, host: string): boolean {
  const patterns = pattern.toLowerCase().split('.');
  const labels = host.split('.');
  return (
    patterns.length === labels.length &&
    labels.every((label, index) => matchesGlob(patterns[index] ?? '', label))
  );
}
