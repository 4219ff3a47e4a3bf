import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Scenario } from '../contract/scenario.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { answerError } from './answer-error.ts';
import { refuseStrangers } from './guard.ts';
import { Refusal } from './refusal.ts';
import { addRoutes } from './routes.ts';
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
 * Throws `InvalidInput` for a host that is not a loopback address, a path prefix that is none, and a
 * port that cannot be listened on.
 */
export async function startEndpointServer(options: EndpointServerOptions): Promise<EndpointServer> {
  const { scenario, port, host = '127.0.0.1', pathPrefix = '', clock } = options;
  refuseUnsafe(host, pathPrefix);

  const app = createApp(options.onRequest);
  const world = createWorld(scenario, () => clock.now());
  app.register(async (scope) => addRoutes(scope, world, scenario.maxPageSize), {
    prefix: pathPrefix,
  });

  try {
    const address = await app.listen({ host, port });
    return { url: `${address}${pathPrefix}`, close: () => app.close() };
  } catch (error) {
    const message = `cannot listen on ${host} port ${port}: ${errorMessageOf(error)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause: error });
  }
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 256;

function createApp(onRequest: EndpointServerOptions['onRequest']): FastifyInstance {
  const report = (request: FastifyRequest, status: number) => {
    const { method, url, body } = request;
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : 0;
    onRequest?.({ method, url, status, bodyBytes });
  };

  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    forceCloseConnections: true,
    // Long ids are unknown, not malformed: node limits the length of the whole request line.
    routerOptions: { maxParamLength: 16 * 1024 },
    // A path that cannot be decoded never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
      report(request, reply.statusCode);
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('onRequest', refuseStrangers);
  app.addHook('onSend', async (request, reply) => report(request, reply.statusCode));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new Refusal(404, 'there is no such path');
  });
  return app;
}

function refuseUnsafe(host: string, pathPrefix: string): void {
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `the host ${JSON.stringify(host)} is not allowed; use "127.0.0.1" or "::1"`,
    );
  }
  if (!/^(\/[\w.~-]+)*$/.test(pathPrefix)) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `the path prefix ${JSON.stringify(pathPrefix)} is not allowed; use one such as "/runtime"`,
    );
  }
}
