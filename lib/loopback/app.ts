import type { IncomingMessage, Server } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { Refusal } from './refusal.ts';

interface LoopbackAppOptions {
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** Called with every request, just before its answer goes out. @default - nobody is called */
  readonly onAnswer?: (request: FastifyRequest, status: number) => void;
  /**
   * Other names of this server below `.localhost`, which always lead to this machine (RFC 6761), without the port.
   * @default - it has none
   */
  readonly isOwnName?: (name: string) => boolean;
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 256;

/**
 * An HTTP server for the programs of this machine, without routes yet. Bodies are JSON, and are passed on as the text
 * that came.
 */
export function createLoopbackApp({
  answerError,
  onAnswer,
  isOwnName = () => false,
}: LoopbackAppOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    forceCloseConnections: true,
    // A long id is unknown and not malformed. Node limits the length of the whole request line.
    routerOptions: { maxParamLength: 16 * 1024 },
    // A path that cannot be decoded never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
      onAnswer?.(request, reply.statusCode);
    },
  });
  keepRoom(app.server);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('onRequest', async (request) => refuseStrangers(request, isOwnName));
  app.addHook('onSend', async (request, reply) => {
    // This returns nothing, because the answer of a hook would be sent.
    onAnswer?.(request, reply.statusCode);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new Refusal(404, 'there is no such path');
  });
  return app;
}

type Socket = IncomingMessage['socket'];

/** Cuts the oldest connection that asks for nothing when there are too many, so that idle ones lock nobody out. */
function keepRoom(server: Server): void {
  const open = new Set<Socket>();
  /** The oldest first. */
  const idle = new Set<Socket>();
  const forget = (socket: Socket) => {
    open.delete(socket);
    idle.delete(socket);
  };
  server.on('connection', (socket) => {
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= MAX_CONNECTIONS) return;
    const [oldest = socket] = idle;
    forget(oldest);
    oldest.destroy();
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => void (open.has(socket) && idle.add(socket)));
  });
}

/**
 * Listens only on this machine's own address, and answers the URL. Port 0 means any free port.
 *
 * @throws `PortUnavailable`, `InvalidInput` for another host than `127.0.0.1` and `::1`.
 */
export async function listenOnLoopback(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `the host ${JSON.stringify(host)} is not allowed; use "127.0.0.1" or "::1"`,
    );
  }
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    throw new SteprollError(
      ErrorName.PortUnavailable,
      `Cannot listen on ${host} port ${port}: ${errorMessageOf(cause)}.`,
      { cause },
    );
  }
}

/**
 * Lets in only requests that address this very server. A page of another site, or a name that somebody points at this
 * machine, must not reach it through a browser.
 *
 * Throws a `Refusal` of 403.
 */
function refuseStrangers(
  { headers, socket }: FastifyRequest,
  isOwnName: (name: string) => boolean,
): void {
  const hosts = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${socket.localPort}`);
  const host = headers.host?.toLowerCase() ?? '';
  const [name = ''] = host.split(':');
  const isOther = host === `${name}:${socket.localPort}` && isOwnName(name);
  if (!hosts.includes(host) && !isOther) {
    throw new Refusal(403, `the Host header must be one of ${hosts.join(', ')}`);
  }
  const origin = headers.origin?.toLowerCase();
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) {
    throw new Refusal(403, 'the Origin header must be absent or name this server');
  }
}
