import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseInput } from '../../contract/input/parse-input.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { createLoopbackApp, listenOnLoopback } from '../../loopback/app.ts';
import { Refusal, refusalOf } from '../../loopback/refusal.ts';
import { tokenGuard } from '../../loopback/token.ts';
import type { StepClock } from '../../ports/clock.ts';
import {
  endpointQuerySchema,
  historyQuerySchema,
  holdAskedSchema,
  liftAskedSchema,
  linkAskedSchema,
  lookQuerySchema,
  parseAct,
  rehearsalAskedSchema,
  reportQuerySchema,
  runtimeQuerySchema,
} from '../asked.ts';
import type { Desk, Done } from '../desk.ts';
import { compress, keepCompressed } from './compress.ts';
import { createLinks, type Links } from './links.ts';
import { createLooks } from './looks.ts';
import { createOnce } from './once.ts';

interface ConsoleServerOptions {
  /** The port. 0: any free one. */
  readonly port: number;
  readonly desk: Desk;
  readonly pages: readonly PageFile[];
  /** Milliseconds between two looks at the rollouts, while somebody watches. */
  readonly lookMs: number;
  readonly clock: StepClock;
  /** Shows a link to the person who started the console, and to nobody else. */
  readonly printLink: (link: string) => void;
}

/** A file of the pages. It has no data in it, so anybody on this machine may have it. */
export interface PageFile {
  /** `/console.js`. The path `/` has the document that every page begins with. */
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

export interface ConsoleServer {
  readonly url: string;
  /** Opens the console in a browser, once. The code stands behind the `#`, which browsers send to nobody. */
  link(): string;
  /** Closes the server and cuts every connection. */
  close(): Promise<void>;
}

/**
 * The pages are one document, and the script shows the page that the path names. Trusted Types keep the browser from
 * ever reading a text as markup.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Serves the console, only to this machine. Every read of data and every act needs the session that a link gives.
 *
 * @throws `PortUnavailable`
 */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const { port, pages, clock, printLink } = options;
  const links = createLinks(clock);
  const app = createLoopbackApp({
    answerError(error, request, reply) {
      const { httpStatus, code, message } = refusalOf(error);
      if (httpStatus === 404 && isOpened(request)) {
        const { type, body } = pages.find(({ path }) => path === '/') ?? NO_PAGE;
        reply.code(404).headers(HEADERS).type(type).send(body);
        return;
      }
      const known = statusOf(error);
      reply.code(known ?? httpStatus).headers(HEADERS);
      reply.send({ error: known === undefined ? code : errorNameOf(error), message });
    },
  });
  app.addHook('onSend', async (_request, reply) => void reply.headers(HEADERS));
  app.addHook('onSend', compress);
  servePages(app, pages);
  const linkOf = (code: string) => `${url}/#code=${code}`;
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => refuseWithoutOrigin(request));
    serveLinks(scope, links, (code) => printLink(linkOf(code)));
  });
  app.register(async (scope) => {
    scope.addHook('onRequest', tokenGuard(links.session, 'console'));
    scope.addHook('onRequest', async (request) => refuseWithoutOrigin(request));
    serveData(scope, options);
  });
  const url = await listenOnLoopback(app, { host: '127.0.0.1', port });
  return { url, link: () => linkOf(links.next()), close: () => app.close() };
}

const NO_PAGE = { type: 'text/plain', body: '' };

/** Whether a browser opens it as a page, which says itself that there is none. */
function isOpened({ method, url, headers }: FastifyRequest): boolean {
  const isPage = method === 'GET' && !url.startsWith('/api/');
  return isPage && headers.accept?.includes('text/html') === true;
}

const HTTP_STATUS: Readonly<Record<string, number>> = {
  [ErrorName.RolloutNotFound]: 404,
  [ErrorName.LedgerUnavailable]: 503,
  [ErrorName.AwsUnavailable]: 503,
};

/** `undefined`: it says itself what is wrong with the request, or it is a bug of this server. */
function statusOf(error: unknown): number | undefined {
  const name = errorNameOf(error);
  if (!(error instanceof SteprollError) || name === ErrorName.InvalidInput) return undefined;
  // Whatever else is refused cannot be done as things are.
  return HTTP_STATUS[name] ?? (name.startsWith('Upstream') ? 502 : 409);
}

const DOCUMENTS = [
  '/',
  '/rollouts/*',
  '/runtimes/*',
  '/rehearsal',
  '/report',
  '/compare',
  '/coming',
];

function servePages(app: FastifyInstance, pages: readonly PageFile[]): void {
  for (const { path, type, body } of pages) {
    const bodyFor = keepCompressed(body);
    for (const one of path === '/' ? DOCUMENTS : [path]) {
      app.get(one, async (request, reply) => reply.type(type).send(await bodyFor(request, reply)));
    }
  }
}

/** What a browser may ask for that has no session yet. */
function serveLinks(app: FastifyInstance, links: Links, print: (code: string) => void): void {
  app.post('/api/session', async (request) => ({
    session: links.exchange(parseInput(linkAskedSchema, bodyOf(request), 'link')),
  }));
  app.post('/api/link', async () => {
    print(links.nextForStranger());
    return {};
  });
}

function serveData(
  app: FastifyInstance,
  { desk, lookMs, clock }: Pick<ConsoleServerOptions, 'desk' | 'lookMs' | 'clock'>,
): void {
  const looks = createLooks(() => desk.look(), { everyMs: lookMs, clock, start: randomUUID() });

  app.get('/api/look', async ({ query }) =>
    looks.after(parseInput(lookQuerySchema, query, 'query').seen ?? null),
  );

  app.get('/api/rollouts', async ({ query }) =>
    desk.history(parseInput(historyQuerySchema, query, 'filters')),
  );

  app.get('/api/rollouts/:id', async ({ params }) => desk.tell((params as { id: string }).id));

  app.get('/api/rollouts/:id/ahead', async ({ params }) => {
    return { course: await desk.foresee((params as { id: string }).id) };
  });

  app.get('/api/runtimes/:id', async ({ params, query }) =>
    desk.runtime((params as { id: string }).id, parseInput(runtimeQuerySchema, query, 'query')),
  );

  app.get('/api/runtimes/:id/drift', async ({ params }) =>
    desk.drift((params as { id: string }).id),
  );

  app.get('/api/report', async ({ query }) =>
    desk.report(parseInput(reportQuerySchema, query, 'query')),
  );

  app.get('/api/coming', async () => desk.coming());

  app.get('/api/endpoints', async ({ query }) =>
    desk.find(parseInput(endpointQuerySchema, query, 'query').endpoint),
  );

  const once = createOnce<Done>();

  /** Who did something sees at once what came of it. @param said What is asked for, but for the reason, which may be put in other words. */
  async function doing(
    path: string,
    { key, reason: _, ...said }: Keyed,
    work: () => Promise<Done>,
  ): Promise<Done> {
    try {
      return await (key === undefined ? work() : once(JSON.stringify([path, key, said]), work));
    } finally {
      looks.outdate();
    }
  }

  app.post('/api/rollouts/:id/:act', async (request) => {
    const { id, act } = request.params as { readonly id: string; readonly act: string };
    const asked = parseAct(act, bodyOf(request));
    if (asked === null) throw new Refusal(404, 'there is no such path');
    return doing(request.url, asked, () => desk.act(id, asked));
  });

  app.post('/api/holds', async (request) => {
    const asked = parseInput(holdAskedSchema, bodyOf(request), 'hold');
    return doing(request.url, asked, () => desk.hold(asked));
  });

  app.post('/api/holds/:id/lift', async (request) => {
    const asked = parseInput(liftAskedSchema, bodyOf(request), 'lift');
    const { id } = request.params as { readonly id: string };
    return doing(request.url, asked, () => desk.lift(id, asked));
  });

  app.get('/api/rehearsals', async () => ({ runtimes: await desk.runtimes() }));

  app.post('/api/rehearsals', async (request) =>
    desk.rehearse(parseInput(rehearsalAskedSchema, bodyOf(request), 'rehearsal')),
  );
}

interface Keyed {
  readonly key?: string | undefined;
  readonly reason: string;
}

/** A browser says of every write which page asks for it. Programs use the command line. */
function refuseWithoutOrigin({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD' || headers.origin !== undefined) return;
  throw new Refusal(403, 'the Origin header must name this server');
}

function bodyOf({ body }: FastifyRequest): unknown {
  if (typeof body !== 'string') throw new Refusal(415, 'send the request body as application/json');
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Refusal(400, `the request body is not JSON: ${errorMessageOf(error)}`);
  }
}
