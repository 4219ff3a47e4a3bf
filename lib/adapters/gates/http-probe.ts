import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import type { Probe } from '../../domain/policy.ts';
import type { GateAnswer } from '../../ports/gates.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { withDeadline } from '../http/deadline.ts';
import { systemClock } from '../system-clock.ts';
import { guardLookup } from './guard-lookup.ts';
import { originToProbe } from './origin-to-probe.ts';
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
