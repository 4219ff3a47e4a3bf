import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { reachOf } from '../../contract/service/address.ts';
import { parseEndpointUrl } from '../../contract/service/endpoint-url.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { matchesGlob } from '../../domain/glob.ts';
import type { Probe } from '../../domain/rollout/policy.ts';
import type { GateAnswer } from '../../ports/gates.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { withDeadline } from '../http/deadline.ts';
import { systemClock } from '../machine/clock.ts';
import { requestStatus } from './request-status.ts';

/**
 * Asks an endpoint once: a GET without credentials to `probe.path`, which takes the place of the path
 * and the query of the URL. The status alone decides. Never throws.
 *
 * The URL comes from the service, so it may lead anywhere: only https is asked, or http on this machine,
 * on a host of `probe.hosts`, whose name leads into a private network only where the probe allows it, and no
 * redirect is followed.
 *
 * @param lookup how names become addresses. @default - as everywhere on this machine
 */
export async function probeEndpoint(
  url: string,
  probe: Probe,
  lookup: LookupFunction = dnsLookup,
): Promise<GateAnswer> {
  try {
    const origin = originToProbe(url, probe.hosts);
    const status = await withDeadline(
      systemClock,
      probe.timeoutSeconds * 1_000,
      undefined,
      ({ signal }) => requestStatus(origin, probe, guardLookup(lookup, probe), signal),
    );
    return answerOfStatus(status, probe);
  } catch (error) {
    return answerOfError(error, probe);
  }
}

function answerOfStatus(status: number, probe: Probe): GateAnswer {
  if (status === probe.status) return { verdict: 'pass', detail: String(status) };
  const isRedirect = status >= 300 && status < 400;
  const detail = isRedirect ? `${status}, redirects are not followed` : String(status);
  return { verdict: 'fail', detail };
}

/** No address, no socket or no valid request: nothing was asked, and the endpoint may be innocent. */
const NOT_ASKED = /^(ENOTFOUND|EAI_|EMFILE|UND_ERR_INVALID_ARG)/;

function answerOfError(error: unknown, { timeoutSeconds }: Probe): GateAnswer {
  const name = errorNameOf(error);
  if (name === ErrorName.UpstreamTimeout) {
    return { verdict: 'fail', detail: `no answer in ${timeoutSeconds} s` };
  }
  // What comes from the network has a code, but for answers that are no HTTP. The rest is our own fault.
  const code = name === 'HTTPParserError' ? name : codeOf(error);
  if (code === '') return { verdict: 'unknown', detail: errorMessageOf(error) };
  if (NOT_ASKED.test(code)) return { verdict: 'unknown', detail: `not asked: ${code}` };
  const detail = code === 'ECONNREFUSED' ? 'connection refused' : `no answer: ${code}`;
  return { verdict: 'fail', detail };
}

/**
 * The same lookup, which fails with `InvalidInput` when a name leads to an address that must not be asked: a
 * harmless name must not lead to where a machine hands out its own credentials, nor into a private network
 * that the policy has not named.
 */
export function guardLookup(
  lookup: LookupFunction,
  probe: Pick<Probe, 'privateNetwork'>,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      callback(error ?? refusalOf(hostname, found, probe), found, family);
    });
  };
}

/** One bad address is enough: which of them is connected to is not for us to say. */
function refusalOf(
  hostname: string,
  found: Parameters<Parameters<LookupFunction>[2]>[1],
  probe: Pick<Probe, 'privateNetwork'>,
): SteprollError | null {
  const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
  for (const address of addresses) {
    const fault = faultOf(hostname, address, probe);
    if (fault !== null) {
      const message = `endpoint URL: its host leads to ${address}${fault}`;
      return new SteprollError(ErrorName.InvalidInput, message);
    }
  }
  return null;
}

function faultOf(
  hostname: string,
  address: string,
  { privateNetwork }: Pick<Probe, 'privateNetwork'>,
): string | null {
  const reach = reachOf(address);
  if (reach === 'none') return '';
  const isMeant = reach === 'public' || privateNetwork || isThisMachine(hostname, reach);
  return isMeant ? null : ', which needs verify.probe.privateNetwork';
}

/** A name that can lead nowhere else. */
function isThisMachine(hostname: string, reach: string): boolean {
  return reach === 'loopback' && /(^|\.)localhost$/i.test(hostname);
}

/**
 * Scheme, host and port of an endpoint's URL, when they may be asked.
 *
 * @param hosts what the host must match one of: `*` stands for any run of characters but a dot, and the
 * port does not matter.
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses, and for any other host.
 */
export function originToProbe(url: string, hosts: readonly string[]): string {
  // Query and fragment are not asked for, so they need no opinion.
  const { origin, hostname } = new URL(parseEndpointUrl(url.replace(/[?#].*$/s, '')));
  if (!hosts.some((pattern) => matchesHost(pattern.toLowerCase(), hostname))) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `endpoint URL: the host ${hostname} is not in verify.probe.hosts`,
    );
  }
  return origin;
}

/** Label by label, so that `*` cannot cross a dot. */
function matchesHost(pattern: string, host: string): boolean {
  const patterns = pattern.split('.');
  const labels = host.split('.');
  return (
    patterns.length === labels.length &&
    labels.every((label, index) => matchesGlob(patterns[index] ?? '', label))
  );
}
