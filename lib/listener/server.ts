import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { createLoopbackApp } from '../loopback/create-app.ts';
import { listenOnLoopback } from '../loopback/listen.ts';
import { Refusal } from '../loopback/refusal.ts';
import { refusalOf } from '../loopback/refusal-of.ts';
import type { Clock } from '../ports/clock.ts';
import { releasePayload } from './release-payload.ts';
import { tokenGuard } from './token-guard.ts';

export interface ListenerServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes a trigger, or throws why it starts nothing. */
  readonly take: (payload: unknown) => Promise<TakenRelease>;
  /** Told in a line of every request that was refused. */
  readonly log: (line: string) => void;
}

/** What the sender of a release is told. */
export interface TakenRelease {
  readonly rolloutId: string;
  readonly result: 'started' | 'duplicate';
}

export interface ListenerServer {
  readonly url: string;
  /** Whoever posts has to have it. Made anew with each start. */
  readonly token: string;
  /** Cuts every connection. */
  close(): Promise<void>;
}

/**
 * Takes releases over HTTP, from programs of this machine that have the token.
 *
 * @throws `PortUnavailable`
 */
export async function startListenerServer(options: ListenerServerOptions): Promise<ListenerServer> {
  const { port, clock, take, log } = options;
  const token = randomBytes(32).toString('base64url');
  const app = createLoopbackApp({
    answerError(error, request, reply) {
      const refused = toAnswer(error);
      log(`Refused ${request.method} ${request.url}: ${refused.error}: ${refused.message}`);
      sendRefusal(refused, reply);
    },
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.post('/events', { onRequest: tokenGuard(token) }, async (request, reply) => {
    const reception = {
      release: releaseIn(request),
      id: randomUUID(),
      time: new Date(clock.now()).toISOString(),
    };
    const { rolloutId, result } = await take(releasePayload(bodyOf(request), reception));
    reply.code(202);
    return { rolloutId, result };
  });
  const url = await listenOnLoopback(app, { host: '127.0.0.1', port });
  return { url, token, close: () => app.close() };
}

/** `?release=NAME`: the release source that the event is from. @default - steproll's own */
function releaseIn({ query }: FastifyRequest): string | null {
  const { release = null } = query as { readonly release?: string };
  return release;
}

function bodyOf({ body }: FastifyRequest): string {
  if (typeof body === 'string') return body;
  throw new Refusal(415, 'send the event as application/json');
}

interface RefusedRequest {
  readonly httpStatus: number;
  /** Stable: the name of the error. */
  readonly error: string;
  readonly message: string;
}

const HTTP_STATUS: Readonly<Record<string, number>> = {
  [ErrorName.InvalidTrigger]: 400,
  [ErrorName.StaleTrigger]: 422,
  [ErrorName.UnknownRuntime]: 422,
  [ErrorName.LedgerUnavailable]: 503,
};

function toAnswer(error: unknown): RefusedRequest {
  const known = HTTP_STATUS[errorNameOf(error)];
  if (known !== undefined) {
    return { httpStatus: known, error: errorNameOf(error), message: errorMessageOf(error) };
  }
  const { httpStatus, code, message } = refusalOf(error);
  return { httpStatus, error: code, message };
}

function sendRefusal({ httpStatus, error, message }: RefusedRequest, reply: FastifyReply): void {
  reply.code(httpStatus).send({ error, message });
}
