import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { createLoopbackApp, listenOnLoopback } from '../loopback/app.ts';
import { refusalOf } from '../loopback/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import { addRoutes } from './routes.ts';
import type { Scenario } from './scenario.ts';
import { createWorld } from './world.ts';

export interface EndpointServerOptions {
  readonly scenario: Scenario;
  /** 0: any that is free. */
  readonly port: number;
  /** `127.0.0.1` or `::1`. @default '127.0.0.1' */
  readonly host?: string;
  /** What comes before `/agent-runtimes`, such as `/runtime`. @default '' */
  readonly pathPrefix?: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with every request, just before its answer goes out. */
  readonly onRequest?: (line: RequestLine) => void;
}

export interface RequestLine {
  readonly method: string;
  /** Path and query, as received. */
  readonly url: string;
  /** Of the answer. */
  readonly status: number;
  /** Bytes of the request's body that were read: 0 for one that was refused unread. */
  readonly bodyBytes: number;
}

export interface EndpointServer {
  /** Base URL, with the path prefix and without a slash at the end. */
  readonly url: string;
  /** Cuts every connection. Closing twice is fine. */
  close(): Promise<void>;
}

/**
 * Serves the simulated world over HTTP, to this machine alone.
 *
 * Throws `PortUnavailable`, and `InvalidInput` for a host that is not a loopback address and a path prefix
 * that is none.
 */
export async function startEndpointServer(options: EndpointServerOptions): Promise<EndpointServer> {
  const { scenario, port, host = '127.0.0.1', pathPrefix = '', clock, onRequest } = options;
  refuseUnsafePrefix(pathPrefix);

  const app = createLoopbackApp({
    answerError,
    onAnswer: (request, status) => onRequest?.(toLine(request, status)),
  });
  const world = createWorld(scenario, () => clock.now());
  app.register(async (scope) => addRoutes(scope, world, scenario.maxPageSize), {
    prefix: pathPrefix,
  });
  const address = await listenOnLoopback(app, { host, port });
  return { url: `${address}${pathPrefix}`, close: () => app.close() };
}

/** The one form of every error: `{ "error": { "code": "NotFound", "message": "…" } }`. */
function answerError(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { httpStatus, headers, code, message } = refusalOf(error);
  reply.code(httpStatus).headers(headers).send({ error: { code, message } });
}

function toLine({ method, url, body }: FastifyRequest, status: number): RequestLine {
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : 0;
  return { method, url, status, bodyBytes };
}

function refuseUnsafePrefix(pathPrefix: string): void {
  if (!/^(\/[\w.~-]+)*$/.test(pathPrefix)) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `the path prefix ${JSON.stringify(pathPrefix)} is not allowed; use one such as "/runtime"`,
    );
  }
}
