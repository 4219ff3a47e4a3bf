import * as z from 'zod';
import { versionSchema } from '../../../contract/input/checks.ts';
import { parseInput } from '../../../contract/input/parse-input.ts';
import { parseEndpointUrl } from '../../../contract/service/endpoint-url.ts';
import { abilitiesWith } from '../../../contract/service/services.ts';
import {
  DEFAULT_WIRE,
  parseEndpoint,
  parseEndpointPage,
  type WireMapping,
} from '../../../contract/service/wire.ts';
import { createVersionWitness } from '../../../contract/service/wire-faults.ts';
import { type Endpoint, faultOfId, SAID } from '../../../domain/endpoint/endpoint.ts';
import { markSharedNames } from '../../../domain/endpoint/shared-names.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EndpointService } from '../../../ports/endpoint-service.ts';
import type { Auth } from '../../credentials/authorization.ts';
import type { ExchangeRecord } from '../../http/connection.ts';
import { readJson, refuseHtml } from '../../http/excerpt.ts';
import { hideCredentials } from '../../http/hide-secrets.ts';
import { hideKnownSecrets } from '../../http/known-secrets.ts';
import type { OpenSockets } from '../../http/network.ts';
import { createServiceCall } from './call.ts';
import { createPageReaders, listPages, type QueryPage } from './pages.ts';

export interface EndpointClientOptions {
  /** Origin and path prefix, in a form that `parseEndpointUrl` takes; plain http is allowed. */
  readonly baseUrl: string;
  /** @default - none */
  readonly auth?: Auth;
  /** The service's JSON names. @default DEFAULT_WIRE */
  readonly wire?: WireMapping;
  /** The clock for deadlines and waits. */
  readonly clock: Clock;
  /** How many endpoints a page of a sweep has. @default 100 */
  readonly pageSize?: number;
  /** Milliseconds for one call with its retries and waits; each page is a call. @default 10000 */
  readonly deadlineMs?: number;
  /** How many pages a sweep reads at the same time, and how many sockets to the service there are. @default 8 */
  readonly maxPagesInFlight?: number;
  /** Opens the sockets to the service and to the token endpoint. @default - those of the network */
  readonly openSockets?: OpenSockets;
  /** Answers a number from 0 to 1, which spreads the waits between retries. @default Math.random */
  readonly random?: () => number;
  /** Is called with every exchange, without secrets. @default - nobody is called */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
  /** The most characters of an answer's body that `onExchange` gets, at most 65,536. @default 256 */
  readonly excerptLength?: number;
}

/**
 * The endpoint service over HTTP.
 *
 * Reads are tried up to 3 times. A write is sent at most once, and not at all when more than 2 s have passed since it
 * was handed over: then it throws `UpstreamThrottled` or `UpstreamTimeout` with `retryAfterSeconds`. When its outcome
 * is in doubt, it throws `OutcomeUnknown`, and the cause says why. Before anything is sent, an id that
 * cannot stand in a path throws `InvalidEndpointId`, and a version, page or size that is not a whole number of at
 * least 1 throws `InvalidInput`.
 *
 * @throws `InvalidInput` for a base URL that `parseEndpointUrl` refuses.
 */
export function createEndpointClient(
  options: EndpointClientOptions,
): EndpointService & { close(): Promise<void> } {
  const { wire = DEFAULT_WIRE, maxPagesInFlight = 8, pageSize = 100 } = options;
  const baseUrl = parseEndpointUrl(options.baseUrl, { allowPlainHttp: true });
  const service = createServiceCall({
    origin: new URL(baseUrl).origin,
    sockets: maxPagesInFlight,
    openSockets: options.openSockets,
    auth: options.auth ?? { kind: 'none' },
    clock: options.clock,
    deadlineMs: options.deadlineMs ?? 10_000,
    random: options.random ?? Math.random,
    onExchange: options.onExchange,
    excerptLength: options.excerptLength,
    laterStatuses: wire.laterStatuses,
  });
  const versions = createVersionWitness(wire);
  const queryPage: QueryPage = (listPath, { page, size }, signal) =>
    service.call(
      { method: 'GET', path: `${listPath}?page=${page}&size=${size}` },
      (answer, source) => {
        const body = readJson(answer, source);
        const parsed = parseEndpointPage(body, wire, source);
        versions.see(body);
        return { ...parsed, endpoints: withoutCredentials(parsed.endpoints) };
      },
      signal,
    );
  const readEndpoint = (body: unknown, source: string): Endpoint => {
    const endpoint = parseEndpoint(body, wire, source);
    return withoutCredentials([endpoint])[0] ?? endpoint;
  };
  const pagesOf = createPageReaders(queryPage, pageSize);

  return {
    url: baseUrl,
    abilities: abilitiesWith(wire),
    faultOfLists: versions.fault,
    async listPage(runtimeId, query, signal) {
      const path = endpointPath(baseUrl, runtimeId);
      return queryPage(path, parseInput(pageSchema, query, 'page'), signal);
    },
    async list(runtimeId, signal) {
      const path = endpointPath(baseUrl, runtimeId);
      parseInput(pageSchema, { page: 1, size: pageSize }, 'page');
      return markSharedNames(
        await listPages(pagesOf(path), maxPagesInFlight, wire.page.paged, signal),
      );
    },
    async create(runtimeId, input, signal) {
      return service.call(
        {
          method: 'POST',
          path: endpointPath(baseUrl, runtimeId),
          json: parseInput(createSchema, input, 'endpoint to create'),
        },
        (answer, source) => readEndpoint(readJson(answer, source), source),
        signal,
      );
    },
    async roll(runtimeId, endpointId, version, signal) {
      const query = parseInput(rollSchema, { version }, 'roll');
      return service.call(
        {
          method: 'PUT',
          path: `${endpointPath(baseUrl, runtimeId, endpointId)}?version=${query.version}`,
        },
        (answer, source) => {
          const body = readJson(answer, source);
          return body === undefined ? null : readEndpoint(body, source);
        },
        signal,
      );
    },
    async stop(runtimeId, endpointId, signal) {
      return service.call(
        { method: 'POST', path: endpointPath(baseUrl, runtimeId, endpointId, 'stop') },
        refuseHtml,
        signal,
      );
    },
    listVersions: () =>
      Promise.reject(new SteprollError(ErrorName.VersionsUnsupported, NO_VERSIONS)),
    close: () => service.close(),
  };
}

const NO_VERSIONS = 'This service cannot list the versions of a runtime.';

// Programs without types call the client too, and a wrong value would be sent in a URL.

const pageSchema = z.object({ page: z.int().min(1), size: z.int().min(1) });
const createSchema = z.object({ name: z.string().min(1), version: versionSchema.optional() });
const rollSchema = z.object({ version: versionSchema });

const LONGEST_QUOTE = 256;

/**
 * The only way for ids to get into a path: the path of a runtime's endpoints, of one endpoint, or of its `stop`,
 * below the base URL.
 *
 * An id is opaque, but `..` stays `..` when it is encoded and would address something else. So an id that cannot
 * stand as one path segment is refused, and the final URL is compared with the parts that it was made from. Throws
 * `InvalidEndpointId`.
 */
export function endpointPath(
  baseUrl: string,
  runtimeId: string,
  endpointId?: string,
  action?: 'stop',
): string {
  const segments = ['agent-runtimes', encodeId(runtimeId), 'endpoints'];
  if (endpointId !== undefined) {
    segments.push(encodeId(endpointId));
  }
  if (action !== undefined) {
    segments.push(action);
  }
  const base = new URL(baseUrl);
  const path = `${base.pathname.replace(/\/+$/, '')}/${segments.join('/')}`;
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path) {
    throw new SteprollError(ErrorName.InvalidEndpointId, `the ids do not make the path ${path}`);
  }
  return path;
}

/** The id as one path segment. Throws `InvalidEndpointId`. */
function encodeId(id: string): string {
  const fault = faultOfId(id);
  if (fault !== null) {
    throw new SteprollError(
      ErrorName.InvalidEndpointId,
      `${JSON.stringify(id.slice(0, LONGEST_QUOTE))} cannot be an id in a path: ${fault}`,
    );
  }
  return encodeURIComponent(id);
}

/** A shorter secret may be a part of any word, and names would be unreadable. */
const SHORTEST_SECRET = 8;

/**
 * The endpoints without the credentials that the service repeats in their names, URLs, statuses and reasons. This is the
 * one place where they are hidden: whatever is stored, told or shown of an endpoint comes from here. Ids stay as they
 * are, because writes need them.
 */
function withoutCredentials(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const hideKnown = (text: string) => hideKnownSecrets(text, SHORTEST_SECRET);
  const hide = (text: string) => hideCredentials(hideKnown(text));
  // One pass over all, because hardly any service does this.
  let names = '';
  let told = '';
  for (const { name, url, status, statusReason, attributes = {} } of endpoints) {
    names += `${name}\n${status}\n`;
    for (const value of Object.values(attributes)) names += `${value}\n`;
    told += `${url}\n${statusReason}\n`;
  }
  if (hideKnown(names) === names && hide(told) === told) return endpoints;
  return endpoints.map((endpoint) => {
    const { name, url, status, attributes } = endpoint;
    const shown = {
      // A name such as "basic web" is no credential.
      name: name && hideKnown(name),
      status: status && hideKnown(status),
      url: url && hide(url),
      statusReason: endpoint.statusReason && hide(endpoint.statusReason),
    };
    const values = Object.entries(attributes ?? {});
    const hidden = values.map(([key, value]) => [key, hideKnown(value)] as const);
    const isSame =
      name === shown.name &&
      url === shown.url &&
      status === shown.status &&
      hidden.every(([key, value]) => value === attributes?.[key]);
    const said = { name, url, status, ...(attributes && { attributes }) };
    return {
      ...endpoint,
      ...shown,
      ...(attributes && { attributes: Object.fromEntries(hidden) }),
      ...(!isSame && { [SAID]: said }),
    };
  });
}
