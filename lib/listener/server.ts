import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type PersonAnswer, parseAnswer } from '../contract/flow/answer.ts';
import { invalidTrigger } from '../contract/flow/trigger-event.ts';
import { invalidInput } from '../contract/input/parse-input.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { APPROVE, REJECT } from '../domain/signals/approval.ts';
import { isOwnSource } from '../domain/trigger/release.ts';
import { createLoopbackApp, listenOnLoopback } from '../loopback/app.ts';
import { Refusal, refusalOf } from '../loopback/refusal.ts';
import { createToken, ownerOfToken, tokenGuard } from '../loopback/token.ts';
import type { Clock } from '../ports/clock.ts';

export interface ListenerServerOptions {
  /** The port. 0: any free one. */
  readonly port: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes a trigger. Throws an error that says why the trigger starts nothing. */
  readonly take: (payload: unknown) => Promise<TakenRelease>;
  /** Takes what people answer to waves, each by a token of one's own. @default - nobody has one */
  readonly people?: {
    readonly tokens: ReadonlyMap<string, string>;
    /** Answers what follows, in a sentence. Throws an error that says why the answer is not taken. */
    readonly answer: (
      person: string,
      rolloutId: string,
      kind: string,
      said: PersonAnswer,
    ) => Promise<string>;
  };
  readonly log: (line: string) => void;
}

/** The answer to the sender of a release. */
interface TakenRelease {
  readonly rolloutId: string;
  readonly result: 'started' | 'duplicate';
  /** Why nothing was started. @default - something was */
  readonly message?: string;
}

export interface ListenerServer {
  readonly url: string;
  /** Every request to start a rollout needs this token. Each start makes a new one. */
  readonly token: string;
  /** Closes the server and cuts every connection. */
  close(): Promise<void>;
}

/** Takes releases over HTTP, from programs of this machine that have the token, and answers of people, who have their own. @throws `PortUnavailable` */
export async function startListenerServer(options: ListenerServerOptions): Promise<ListenerServer> {
  const { port, clock, take, people = NOBODY, log } = options;
  const token = createToken();
  const app = createLoopbackApp({
    answerError(error, request, reply) {
      const { httpStatus, code, message } = refusedAs(error);
      // A query may have a credential in it.
      const [path] = request.url.split('?');
      log(`Refused ${request.method} ${path}: ${code}: ${message}`);
      reply.code(httpStatus).send({ error: code, message });
    },
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.post('/events', { onRequest: tokenGuard(token, 'listener') }, async (request, reply) => {
    const time = new Date(clock.now()).toISOString();
    const payload = releasePayload(bodyOf(request), releaseIn(request), time);
    const { rolloutId, result, message } = await take(payload);
    reply.code(202);
    return { rolloutId, result, message };
  });
  for (const kind of ANSWERS) {
    // The token is looked at before the body is read.
    const onRequest = async (request: FastifyRequest) => {
      ownerOfToken(request, people.tokens);
    };
    app.post(`/rollouts/:id/${kind}`, { onRequest }, async (request) => {
      const { id } = request.params as { readonly id: string };
      const said = parseAnswer(jsonOf(request));
      const person = ownerOfToken(request, people.tokens);
      return { rolloutId: id, by: person, message: await people.answer(person, id, kind, said) };
    });
  }
  const url = await listenOnLoopback(app, { host: '127.0.0.1', port });
  return { url, token, close: () => app.close() };
}

const NOBODY: Required<ListenerServerOptions>['people'] = {
  tokens: new Map(),
  answer: () => Promise.reject(new Refusal(401, 'nobody has a token')),
};

const ANSWERS = [APPROVE.kind, REJECT.kind];

function jsonOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(bodyOf(request));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidInput('answer', ['use JSON']);
  }
}

/** `?release=NAME` names the release source of the event. @default - steproll's own */
function releaseIn({ query }: FastifyRequest): string | null {
  const { release = null } = query as { readonly release?: string };
  return release;
}

function bodyOf({ body }: FastifyRequest): string {
  if (typeof body === 'string') return body;
  throw new Refusal(415, 'send JSON as application/json');
}

const HTTP_STATUS: Readonly<Record<string, number>> = {
  [ErrorName.InvalidTrigger]: 400,
  [ErrorName.StaleTrigger]: 422,
  [ErrorName.UnknownRuntime]: 422,
  [ErrorName.VersionsUnsupported]: 422,
  [ErrorName.InvalidInput]: 400,
  [ErrorName.RolloutNotFound]: 404,
  [ErrorName.RolloutClosed]: 409,
  [ErrorName.ApprovalNotWanted]: 409,
  [ErrorName.NotUnderstood]: 409,
  [ErrorName.LedgerUnavailable]: 503,
};

/** An HTTP status, a stable name, which is that of the error, and a message. */
function refusedAs(error: unknown) {
  const [name, message] = [errorNameOf(error), errorMessageOf(error)];
  const known = HTTP_STATUS[name];
  return known === undefined ? refusalOf(error) : { httpStatus: known, code: name, message };
}

/**
 * The payload for a trigger, from an event that was posted. As on an event bus, the sender cannot choose the id and
 * the time.
 *
 * @param release Name of the release source that the event claims to come from; `null` when it is steproll's own.
 * @param time ISO 8601.
 * @throws `InvalidTrigger` when it is not JSON, or is an event of a rollout: rollouts must not start rollouts.
 */
function releasePayload(body: string, release: string | null, time: string): object {
  const event = eventIn(body);
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
  if (!isObject) return { trigger: 'release', release, event };
  const { source } = event as { readonly source?: unknown };
  if (release !== null && typeof source === 'string' && isOwnSource(source)) {
    throw invalidTrigger([
      `event.source: ${JSON.stringify(source)} is not the source of another system`,
    ]);
  }
  return { trigger: 'release', release, event: { ...event, id: randomUUID(), time } };
}

function eventIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidTrigger(['event: use JSON']);
  }
}
