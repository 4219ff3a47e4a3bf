import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLocalName, originToProbe, reachOf } from '../../contract/service/endpoint-url.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { answer, type GateAnswer, silent } from '../../gates/gate.ts';
import type { Probe } from '../../gates/probe.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { hideKnownSecrets } from '../http/known-secrets.ts';
import { createNetwork, type OpenSockets, type Sockets } from '../http/network.ts';
import { type IsEnough, sendRequest, withDeadline } from '../http/send-request.ts';
import { systemClock } from '../machine/clock.ts';

/**
 * Asks an endpoint once: a GET without credentials to `probe.path`, which replaces the path and the query of the URL.
 * Only the status decides. Never throws.
 *
 * The URL comes from the service, so it may lead anywhere. So only https is asked, or http on this machine and where
 * the probe allows it, and only a host in `probe.hosts`. The host's name may lead into a private network only if the
 * probe allows it. It is asked through a proxy only if somebody has written the whole name into `probe.hosts`, because
 * the proxy alone sees where it leads. No redirect is followed.
 */
export async function probeEndpoint(
  url: string,
  probe: Probe,
  { lookup = dnsLookup, openSockets = createNetwork(), signal: given }: ProbeTools = {},
): Promise<GateAnswer> {
  try {
    const { hosts, allowHttp } = probe;
    const origin = originToProbe(url, hosts, allowHttp);
    const { hostname } = new URL(origin);
    const mayUseProxy = hosts.some((host) => host.toLowerCase() === hostname);
    const guarded = guardLookup(lookup, probe);
    const status = await withDeadline(
      systemClock,
      probe.timeoutSeconds * 1_000,
      given,
      ({ signal }) => {
        const options = { mayUseProxy, showsCertificate: false, lookup: guarded, signal };
        return requestStatus(openSockets(origin, 1, options), probe, signal);
      },
    );
    return answerOfStatus(status, probe);
  } catch (error) {
    return answerOfError(error, probe);
  }
}

interface ProbeTools {
  /** Turns names into addresses. @default - the lookup of this machine */
  readonly lookup?: LookupFunction;
  /** @default - with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets;
  /** Gives the question up. @default - nobody does */
  readonly signal?: AbortSignal | undefined;
}

function answerOfStatus(status: number, probe: Probe): GateAnswer {
  const isWanted = status === probe.status;
  const isRedirect = !isWanted && status >= 300 && status < 400;
  return answer(`${status}${isRedirect ? ', redirects are not followed' : ''}`, isWanted);
}

/** With these errors nothing was asked: no address, no socket or no valid request. The endpoint may be fine. */
const NOT_ASKED =
  /^(ENOTFOUND|EAI_|EMFILE|ENFILE|ENOBUFS|ENOMEM|EAGAIN|EADDRNOTAVAIL|UND_ERR_INVALID_ARG)/;

function answerOfError(error: unknown, { timeoutSeconds }: Probe): GateAnswer {
  const name = errorNameOf(error);
  if (name === ErrorName.UpstreamTimeout) return answer(`no answer in ${timeoutSeconds} s`, false);
  // Errors of the network have a code, except for answers that are not HTTP. All other errors are our own fault.
  const code = name === 'HTTPParserError' ? name : codeOf(error);
  if (code === '') return silent(hideKnownSecrets(errorMessageOf(error)));
  if (NOT_ASKED.test(code)) return silent(`not asked: ${code}`);
  return answer(code === 'ECONNREFUSED' ? 'connection refused' : `no answer: ${code}`, false);
}

/**
 * The same lookup, but it fails with `InvalidInput` when a name leads to a forbidden address. A harmless name must
 * not lead to an address where a machine hands out its own credentials, nor into a private network that the policy
 * does not allow.
 */
export function guardLookup(
  lookup: LookupFunction,
  probe: Pick<Probe, 'privateNetwork'>,
): LookupFunction {
  return (hostname, options, callback) => {
    if (isLocalName(hostname)) {
      if (options.all) callback(null, [...THIS_MACHINE]);
      else callback(null, THIS_MACHINE[0].address, THIS_MACHINE[0].family);
      return;
    }
    lookup(hostname, options, (error, found, family) => {
      callback(error ?? refusalOf(hostname, found, probe), found, family);
    });
  };
}

/** Nobody is asked for names below `.localhost`: no answer could be right but this one (RFC 6761). */
const THIS_MACHINE = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const;

/** One forbidden address is enough, because we cannot choose to which of them the connection goes. */
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
  // The name can only lead to this machine.
  const isLocal = reach === 'loopback' && hostname.toLowerCase() === 'localhost';
  const isMeant = reach === 'public' || privateNetwork || isLocal;
  return isMeant ? null : ', which needs verify.probe.privateNetwork';
}

/** 64 KiB of the body are read; anything after that changes nothing. */
const MAX_BODY_BYTES = 64 * 1_024;

/**
 * The status of one GET, on the sockets that are closed afterwards. An answer with the wanted status counts when it
 * has ended, or when 64 KiB of it have come.
 *
 * @throws the reason why no complete answer came: the signal's reason, or an error with a code.
 */
export async function requestStatus(
  sockets: Sockets,
  { path, status: wanted }: Pick<Probe, 'path' | 'status'>,
  signal: AbortSignal,
): Promise<number> {
  const request = { method: 'GET', path, headers: { 'user-agent': 'steproll' } } as const;
  const isEnough: IsEnough = (status, bytes) =>
    status >= 200 && (status !== wanted || bytes >= MAX_BODY_BYTES);
  try {
    const exchange = await sendRequest(sockets, request, signal, () => undefined, isEnough);
    if (exchange.kind === 'no-answer') throw exchange.cause;
    return exchange.status;
  } finally {
    sockets.destroy();
  }
}
