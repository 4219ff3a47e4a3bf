import {
  DEFAULT_WIRE,
  parseEndpoint,
  parseEndpointPage,
  type WireMapping,
} from '../../contract/wire.ts';
import type { EndpointPage } from '../../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService, PageQuery } from '../../ports/endpoint-service.ts';
import type { Auth } from './authorization.ts';
import type { ExchangeRecord } from './connection.ts';
import { endpointPath } from './endpoint-path.ts';
import { listPages, type ReadPage } from './list-pages.ts';
import { readJson, refuseHtml } from './read-body.ts';
import { createServiceCall } from './service-call.ts';

/** The page size that the interface states, and therefore the only one that every service takes. */
const STATED_PAGE_SIZE = 10;

export interface EndpointClientOptions {
  /** As `parseEndpointUrl` answers it. */
  readonly baseUrl: string;
  /** @default - none */
  readonly auth?: Auth;
  /** The service's JSON names. @default DEFAULT_WIRE */
  readonly wire?: WireMapping;
  /** Deadlines and waits run on it. */
  readonly clock: Clock;
  /** Endpoints a page of a sweep. @default 100 */
  readonly pageSize?: number;
  /** Milliseconds for one call, retries and waits included; each page is a call. @default 10000 */
  readonly deadlineMs?: number;
  /** Pages that a sweep reads at a time, and sockets to the service. @default 8 */
  readonly maxPagesInFlight?: number;
  /** From 0 to 1, spreads the waits between retries. @default Math.random */
  readonly random?: () => number;
  /** Told of every exchange, without secrets. @default - nobody is */
  readonly onExchange?: (exchange: ExchangeRecord) => void;
}

/**
 * The endpoint service over HTTP.
 *
 * Reads are tried up to 3 times. A write is tried again only where it is certain that the service did
 * not carry it out; when its outcome is in doubt, it throws `OutcomeUnknown`, and the cause says why.
 * Ids that cannot stand in a path throw `InvalidEndpointId` before anything is sent.
 */
export function createEndpointClient(
  options: EndpointClientOptions,
): EndpointService & { close(): Promise<void> } {
  const { baseUrl, wire = DEFAULT_WIRE, maxPagesInFlight = 8 } = options;
  const service = createServiceCall({
    origin: new URL(baseUrl).origin,
    sockets: maxPagesInFlight,
    auth: options.auth ?? { kind: 'none' },
    clock: options.clock,
    deadlineMs: options.deadlineMs ?? 10_000,
    random: options.random ?? Math.random,
    onExchange: options.onExchange,
  });
  let pageSize = options.pageSize ?? 100;

  function readPage(
    listPath: string,
    { page, size }: PageQuery,
    signal?: AbortSignal,
  ): Promise<EndpointPage> {
    return service.call(
      { method: 'GET', path: `${listPath}?page=${page}&size=${size}` },
      (answer, source, secrets) =>
        parseEndpointPage(readJson(answer, source, secrets), wire, source),
      signal,
    );
  }

  /** Pages of a sweep, all of one size: the largest that a service takes is not known. */
  function pagesOf(runtimeId: string): ReadPage {
    const listPath = endpointPath(baseUrl, runtimeId);
    let size = pageSize;
    return async (page, signal) => {
      try {
        return await readPage(listPath, { page, size }, signal);
      } catch (error) {
        if (page !== 1 || size <= STATED_PAGE_SIZE || !isRefusal(error)) {
          throw error;
        }
        size = STATED_PAGE_SIZE;
        const first = await readPage(listPath, { page, size }, signal);
        pageSize = STATED_PAGE_SIZE;
        return first;
      }
    };
  }

  return {
    async listPage(runtimeId, query, signal) {
      return readPage(endpointPath(baseUrl, runtimeId), query, signal);
    },
    async list(runtimeId, signal) {
      return listPages(pagesOf(runtimeId), maxPagesInFlight, signal);
    },
    async create(runtimeId, { name, version }, signal) {
      return service.call(
        {
          method: 'POST',
          path: endpointPath(baseUrl, runtimeId),
          json: version === undefined ? { name } : { name, version },
        },
        (answer, source, secrets) => parseEndpoint(readJson(answer, source, secrets), wire, source),
        signal,
      );
    },
    async roll(runtimeId, endpointId, version, signal) {
      return service.call(
        {
          method: 'PUT',
          path: `${endpointPath(baseUrl, runtimeId, endpointId)}?version=${version}`,
        },
        (answer, source, secrets) => {
          const body = readJson(answer, source, secrets);
          return body === undefined ? null : parseEndpoint(body, wire, source);
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
    close: () => service.close(),
  };
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof SteprollError &&
    error.name === ErrorName.UpstreamRejected &&
    (error.httpStatus === 400 || error.httpStatus === 422)
  );
}
