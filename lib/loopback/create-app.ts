import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';
import { refuseStrangers } from './refuse-strangers.ts';

export interface LoopbackAppOptions {
  /** Answers a request that cannot be served. */
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** Called with every request, just before its answer goes out. @default - nobody is */
  readonly onAnswer?: (request: FastifyRequest, status: number) => void;
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 256;

/**
 * An HTTP server for the programs of this machine, without routes yet. Bodies are JSON, handed on as the
 * text that came.
 */
export function createLoopbackApp({ answerError, onAnswer }: LoopbackAppOptions): FastifyInstance {
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
      onAnswer?.(request, reply.statusCode);
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('onRequest', refuseStrangers);
  app.addHook('onSend', async (request, reply) => {
    // What a hook answers would be sent.
    onAnswer?.(request, reply.statusCode);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new Refusal(404, 'there is no such path');
  });
  return app;
}
