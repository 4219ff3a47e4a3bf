import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { createLoopbackApp, listenOnLoopback } from '../loopback/app.ts';
import { Refusal, refusalOf } from '../loopback/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import { HOST_ENDING } from './endpoint.ts';
import { addRoutes } from './routes.ts';
import type { Scenario } from './scenario.ts';
import { createWorld, type World } from './world.ts';

export interface EndpointServerOptions {
  readonly scenario: Scenario;
  /** The port. 0: any free one. */
  readonly port: number;
  /** `127.0.0.1` or `::1`. @default '127.0.0.1' */
  readonly host?: string;
  /** The part of the path before `/agent-runtimes`, such as `/runtime`. @default '' */
  readonly pathPrefix?: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with every request, just before its answer goes out. */
  readonly onRequest?: (line: RequestLine) => void;
}

export interface RequestLine {
  readonly method: string;
  /** Path and query, as they were received. */
  readonly url: string;
  readonly status: number;
  /** Bytes of the request's body that were read: 0 for a request that was refused unread. */
  readonly bodyBytes: number;
}

export interface EndpointServer {
  /** Base URL, with the path prefix and without a slash at the end. */
  readonly url: string;
  /** Closes the server and cuts every connection. It may be called twice. */
  close(): Promise<void>;
}

/**
 * Serves the simulated world over HTTP, only to this machine.
 *
 * Throws `PortUnavailable`, and `InvalidInput` for a host that is not a loopback address and for an invalid path
 * prefix.
 */
export async function startEndpointServer(options: EndpointServerOptions): Promise<EndpointServer> {
  const { scenario, port, host = '127.0.0.1', pathPrefix = '', clock, onRequest } = options;
  refuseUnsafePrefix(pathPrefix);

  const app = createLoopbackApp({
    answerError,
    onAnswer: (request, status) => onRequest?.(toLine(request, status)),
    isOwnName: (name) => name.endsWith(HOST_ENDING),
  });
  const world = createWorld(scenario, () => clock.now());
  app.addHook('onRequest', async (request, reply) => {
    const name = request.hostname.toLowerCase();
    if (name.endsWith(HOST_ENDING)) answerProbe(name, request, reply, world);
  });
  app.register(async (scope) => addRoutes(scope, world, scenario.maxPageSize), {
    prefix: pathPrefix,
  });
  const address = await listenOnLoopback(app, { host, port });
  return { url: `${address}${pathPrefix}`, close: () => app.close() };
}

/** Whoever comes to the host of an endpoint asks the endpoint itself, and not the service. */
function answerProbe(
  name: string,
  { method }: FastifyRequest,
  reply: FastifyReply,
  world: World,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new Refusal(405, `${method} is not allowed here, use GET`, { Allow: 'GET, HEAD' });
  }
  const { status, version } = world.answer(name.slice(0, -HOST_ENDING.length));
  reply.code(status).send({ version });
}

/** Every error has this form: `{ "error": { "code": "NotFound", "message": "…" } }`. */
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
