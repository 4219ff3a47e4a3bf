import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { Refusal } from './refusal.ts';

interface LoopbackAppOptions {
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** Called with every request, just before its answer goes out. @default - nobody is called */
  readonly onAnswer?: (request: FastifyRequest, status: number) => void;
  /** Other names of this server below `.localhost` (RFC 6761), without the port. @default - it has none */
  readonly isOwnName?: (name: string) => boolean;
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 256;

/**
 * Strangers may connect without a token, so they get at most a quarter of the files that this process may open. The rest is
 * for its own work: ledgers, services, checks.
 */
function mostConnections(): number {
  // Without this, a report asks for the names of all its peers.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const files = Number(userLimits?.open_files?.soft);
  return Number.isNaN(files) ? MAX_CONNECTIONS : Math.min(MAX_CONNECTIONS, Math.ceil(files / 4));
}

/** An HTTP server for programs of this machine, without routes yet. Bodies are JSON, passed on as text. */
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
  keepRoom(app);
  askForBodyLate(app);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('onRequest', async (request) => refuseStrangers(request, isOwnName));
  app.addHook('onSend', async (request, reply) => {
    // Who was refused has no say in how long the rest of the request takes.
    if (!request.raw.complete) reply.header('connection', 'close');
    // This returns nothing, because the answer of a hook would be sent.
    onAnswer?.(request, reply.statusCode);
  });
  app.setErrorHandler(answerError);
  return app;
}

type Socket = IncomingMessage['socket'];

/**
 * Cuts the oldest connection that asks for nothing when there are too many. If there is none, it is the oldest one that
 * has not sent all of its request. So clients that get no further lock nobody out.
 */
function keepRoom(app: FastifyInstance): void {
  const most = mostConnections();
  // A connection that could not be taken is lost, and the server goes on.
  app.server.on('error', () => undefined);
  const open = new Set<Socket>();
  /** The oldest first. */
  const idle = new Set<Socket>();
  const sending = new Set<Socket>();
  const forget = (socket: Socket) => {
    for (const sockets of [open, idle, sending]) sockets.delete(socket);
  };
  app.server.on('connection', (socket) => {
    const [oldest = socket] = idle.size > 0 ? idle : sending;
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= most) return;
    forget(oldest);
    oldest.destroy();
  });
  app.server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    sending.add(socket);
    response.once('close', () => {
      sending.delete(socket);
      if (open.has(socket)) idle.add(socket);
    });
  });
  // The body has been read.
  app.addHook('preValidation', async ({ raw }) => void sending.delete(raw.socket));
}

/** A body may come only once its request is let in. For a path that does not exist none is read. */
function askForBodyLate(app: FastifyInstance): void {
  const asked = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    asked.add(request);
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', async ({ raw, is404 }, reply) => {
    if (is404) throw new Refusal(404, 'there is no such path');
    if (asked.has(raw)) reply.raw.writeContinue();
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
