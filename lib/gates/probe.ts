import * as z from 'zod';
import { word } from '../contract/input/checks.ts';
import { allowHttpSchema, matchesHost, originToProbe } from '../contract/service/endpoint-url.ts';
import {
  asSaid,
  type Endpoint,
  isFailed,
  isStopped,
  listNames,
} from '../domain/endpoint/endpoint.ts';
import { errorMessageOf } from '../domain/errors.ts';
import { nameOf } from '../domain/sentences.ts';
import {
  answer,
  enforce,
  type Gate,
  type GateAnswer,
  IN_BAKE,
  type PlannedList,
  type RehearsedFleet,
  silent,
} from './gate.ts';

/** A pattern `*.*` would match any host. */
const hostPattern = word.regex(
  /(^|\.)[^.*]+$/,
  'use a host, or a pattern that ends in a fixed part: *.example.com',
);

const settings = z.strictObject({
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/, 'use a path that starts with /')
    .describe('Path at the origin of the URL: "/healthz".'),
  status: z.int().min(200).max(599).default(200).describe('The only HTTP status that is a yes.'),
  tries: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('How many requests may fail before the answer is a no.'),
  timeoutSeconds: z.int().min(1).max(30).default(5).describe('Seconds for each request.'),
  hosts: z
    .array(hostPattern)
    .min(1)
    .max(1_000)
    .describe('Hosts that may be asked; * stands for one part of a name, but not the last one.'),
  privateNetwork: z
    .boolean()
    .default(false)
    .describe('Whether host names may lead to private addresses or to this machine.'),
  allowHttp: allowHttpSchema
    .exactOptional()
    .describe(
      'Hosts that may be asked over plain http. Default: the allowHttp of the configuration.',
    ),
  enforce,
});
export type Probe = z.output<typeof settings>;

const schema = settings.nullable().default(null).describe('A request to the URL of each endpoint.');

export interface ProbePort {
  /** Asks an endpoint's URL once. When it cannot be asked at all, the answer is `unknown`. */
  probe(url: string, probe: Probe, signal?: AbortSignal): Promise<GateAnswer>;
}

export const probe: Gate<typeof schema, ProbePort, 'endpoint'> = {
  kind: 'probe',
  of: 'endpoint',
  schema,
  answers: () => IN_BAKE,
  async ask(said, question, port) {
    const endpoints = 'settled' in question ? question.endpoints : [];
    return Promise.all(
      endpoints.map(async (one) => {
        return { name: nameOf(one), endpointId: one.id, ...(await askEndpoint(said, one, port)) };
      }),
    );
  },
  describe({ path, status, tries, timeoutSeconds, hosts, privateNetwork, allowHttp = [] }) {
    const where = [
      listNames(hosts, MOST_HOSTS),
      ...(privateNetwork ? ['private networks too'] : []),
      ...(allowHttp.length > 0 ? [`over plain http at ${listNames(allowHttp, MOST_HOSTS)}`] : []),
    ].join(', ');
    const often = tries === 1 ? '1 try' : `${tries} tries`;
    return [
      `GET ${path} must be answered with ${status} (at ${where}; ${often} of ${timeoutSeconds} s)`,
    ];
  },
  needs: ({ hosts }) => ({
    calls: hosts.map((host) => (host.includes('*') ? host : `https://${host}`)),
    patterns: hosts.map((word, index) => ({
      path: ['hosts', index],
      word,
      matches: (endpoint) => hostIn(asSaid(endpoint).url, (host) => matchesHost(word, host)),
      textsOf: ({ url }) => hostIn(url, (host) => [host]) || null,
    })),
  }),
  allowHttp: (said, hosts) => ({ allowHttp: [...hosts], ...said }),
  readList(said, list) {
    const faults = unanswerable(said, list);
    return faults.length > 0
      ? { faults }
      : { faults, found: 'The host of each endpoint is in verify.probe.hosts' };
  },
  rehearse: rehearseProbes,
};

/** What is said of the host of a URL. `false`: there is no such URL. */
function hostIn<T>(url: string | null, say: (host: string) => T): T | false {
  return url !== null && URL.canParse(url) && say(new URL(url).hostname);
}

const MOST_HOSTS = 5;

async function askEndpoint(said: Probe, endpoint: Endpoint, port: ProbePort): Promise<GateAnswer> {
  const { url } = asSaid(endpoint);
  if (!url) return silent('the service shows no URL');
  let answer = await port.probe(url, said);
  for (let tries = 1; tries < said.tries && answer.verdict === 'fail'; tries += 1) {
    answer = await port.probe(url, said);
  }
  // A sentence about the host must not tell what is hidden in it.
  const isHidden = answer.verdict === 'unknown' && url !== endpoint.url;
  return isHidden ? { ...answer, detail: 'its URL could not be asked' } : answer;
}

/**
 * Why the endpoints of a plan can never be probed, in a sentence for each reason. The URLs in the list tell it. An
 * endpoint without a URL counts only when no endpoint of the list has one although some may serve, because some
 * services show the URL of an endpoint only while it serves.
 */
function unanswerable(said: Probe, { planned, endpoints, statuses }: PlannedList): string[] {
  if (planned.length === 0) return [];
  // An endpoint that does not serve may get its URL with the new version.
  const mayServe = (one: Endpoint) =>
    one.replicas !== 0 && !isFailed(one, statuses) && !isStopped(one, statuses);
  const isUrlless = endpoints.every(({ url }) => !url);
  if (isUrlless && endpoints.some(mayServe)) return [`verify.probe: ${NO_URL}.`];
  const ids = new Set(planned.map(({ endpointId }) => endpointId));
  const faulty = endpoints.flatMap((endpoint) => {
    const { id } = endpoint;
    const { url } = asSaid(endpoint);
    const found = ids.has(id) && url ? faultOfUrl(url, said) : null;
    // A sentence about the host must not tell what is hidden in it.
    const isHidden = found !== null && url !== endpoint.url;
    const fault = isHidden ? 'its URL may not be asked' : found;
    return fault === null ? [] : [{ name: nameOf(endpoint), fault }];
  });
  return describeFaulty(faulty);
}

/** A sentence for each reason, with the names of all endpoints that it is about. */
function describeFaulty(
  faulty: readonly { readonly name: string; readonly fault: string }[],
): string[] {
  const found = new Map<string, { readonly faults: Set<string>; readonly names: string[] }>();
  for (const { name, fault: said } of faulty) {
    const fault = said.replace(/^endpoint URL: /, '');
    const kind = fault.replace(HOST, '');
    const { faults, names } = found.get(kind) ?? { faults: new Set(), names: [] };
    found.set(kind, { faults: faults.add(fault), names: [...names, name] });
  }
  const reasons = [...found.values()];
  const rest = reasons.slice(MOST).reduce((sum, { names }) => sum + names.length, 0);
  return [
    ...reasons
      .slice(0, MOST)
      .map(({ faults, names }) => `verify.probe of ${listNames(names)}: ${oneFor(faults)}.`),
    ...(rest > 0 ? [`verify.probe: and ${rest} more endpoints for such reasons.`] : []),
  ];
}

/** How many reasons are named. */
const MOST = 3;

const HOST = /^the host (\S+) is/;

/** Each endpoint may have a host of its own. Then one of them stands for all. */
function oneFor(faults: ReadonlySet<string>): string {
  const [first = ''] = faults;
  return faults.size === 1 ? first : first.replace(HOST, 'their hosts, such as $1, are');
}

const NO_URL = 'the service shows no URL of any endpoint, which wire.endpoint.url may mend';

function faultOfUrl(url: string, { hosts, allowHttp }: Probe): string | null {
  try {
    originToProbe(url, hosts, allowHttp);
    return null;
  } catch (error) {
    return errorMessageOf(error);
  }
}

function rehearseProbes({ statusAt }: RehearsedFleet): ProbePort {
  return {
    async probe(url, { status: wanted }) {
      const status = statusAt(url);
      // A simulated endpoint that is well answers as the probe wants it.
      const told = status === 200 ? wanted : status;
      return answer(`${told}`, told === wanted);
    },
  };
}
