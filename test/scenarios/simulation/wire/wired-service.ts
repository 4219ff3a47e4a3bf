import type { Auth } from '../../../../lib/adapters/credentials/authorization.ts';
import { createEndpointClient } from '../../../../lib/adapters/services/rest/client.ts';
import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import { Refusal } from '../../../../lib/loopback/refusal.ts';
import type { Clock } from '../../../../lib/ports/clock.ts';
import type { EndpointService } from '../../../../lib/ports/endpoint-service.ts';
import type { WriteCall } from '../../../../lib/rehearsal/calls.ts';
import type { WorldServiceOptions } from '../../../../lib/rehearsal/service.ts';
import { scenarioTime } from '../../../support/scenario-time.ts';
import type { Exchange, Wire } from '../ordeal.ts';
import { type Answer, type Arrived, ENVELOPE, simulatedSockets } from './sockets.ts';

const SERVICE = 'https://endpoints.example.com';
const TOKENS = 'https://tokens.example.com';

interface WireWatch {
  /** Called with each exchange that does not go as it should. */
  meet(exchange: Exchange): void;
  /**
   * Called when the first byte of a write leaves the client, so many milliseconds after the write was handed over.
   *
   * @param isUnwanted The service wanted no calls when it was handed over, and it still does not.
   */
  onSent(afterMs: number, isUnwanted: boolean): void;
}

/**
 * The simulated service behind the client of the product. What the world sees of a write is noted when its first byte
 * leaves the client, so a write that the client keeps back is none.
 *
 * @param clock That of the steps, which may be wrong. The world has its own.
 */
export function createWiredService(
  wire: Wire,
  clock: Clock,
  { world, calls, rolloutId, faults, latencyMs }: WorldServiceOptions,
  { meet, onSent }: WireWatch,
): EndpointService {
  const { onList = call, onRoll = call, onStop = call } = faults;
  const time = scenarioTime();
  const tokens = createTokens(wire, time.now);
  const counts = new Map<string, number>();
  const count = (key: string) => {
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return nth;
  };
  /** The calls of the client that write and are under way, by what they are. */
  const underWay = new Map<string, { readonly since: number; readonly sent: WriteCall[] }>();
  const writes = new Map<Arrived, WriteCall>();
  /** When the service wanted no calls. */
  const pauses: { readonly from: number; readonly until: number }[] = [];

  function next(exchanges: readonly Exchange[], key: string): Exchange {
    const exchange = exchanges[count(key) - 1] ?? PLAIN;
    if (exchange.kind !== 'plain') meet(exchange);
    return exchange;
  }

  function note(request: Arrived): void {
    const { operation, endpointId, version } = readPath(request);
    if (operation === 'list') return;
    const at = time.now();
    const asked = operation === 'roll' ? { operation, version } : { operation };
    const noted: WriteCall = { rolloutId, at, endpointId, ...asked };
    calls.push(noted);
    writes.set(request, noted);
    const call = underWay.get(`${operation} ${endpointId}`);
    call?.sent.push(noted);
    const { since = 0 } = call ?? {};
    onSent(
      at - since,
      pauses.some(({ from, until }) => since > from && at < until),
    );
  }

  /** What the service has said, whatever the client makes of it. */
  function noteAnswer(request: Arrived, answer: Answer): void {
    const noted = writes.get(request);
    if (noted !== undefined) noted.answer = meaningOf(noted.operation, answer);
  }

  function carryOut(request: Arrived): Answer {
    const { runtimeId, operation, endpointId, version } = readPath(request);
    try {
      if (operation === 'list') {
        const rows = onList(() => world.read(runtimeId), count('list'));
        return page(rows.map(toRow));
      }
      const nth = count(`${operation} ${endpointId}`);
      if (operation === 'stop') {
        onStop(() => world.stop(runtimeId, endpointId), { endpointId, nth });
        return { status: 200, headers: {}, body: '' };
      }
      const roll = () => world.roll(runtimeId, endpointId, version);
      const rolled = onRoll(roll, { endpointId, nth, version });
      return json(200, rolled === null ? null : toRow(rolled));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json(error.httpStatus, { error: { message: error.message } });
    }
  }

  const client = createEndpointClient({
    baseUrl: SERVICE,
    auth: tokens.auth,
    clock,
    random: () => 0.5,
    openSockets: (origin) =>
      simulatedSockets(
        origin === TOKENS
          ? {
              time,
              latencyMs,
              next: () => next(wire.tokens, 'token'),
              refuse: (_, exchange) => refusalOf(exchange, time.now()),
              carryOut: tokens.mint,
            }
          : {
              time,
              latencyMs,
              next: (method) =>
                method === 'GET' ? next(wire.reads, 'read') : next(wire.writes, 'write'),
              onSent: note,
              onAnswered: (request, answer) => {
                noteAnswer(request, answer);
                const from = time.now();
                pauses.push({ from, until: from + pauseOf(answer) });
              },
              refuse: ({ authorization }, exchange) => {
                if (exchange.kind === 'expired') tokens.expire();
                return refusalOf(exchange, time.now()) ?? tokens.refuse(authorization);
              },
              carryOut,
            },
      ),
  });

  async function write<T>(key: string, work: () => Promise<T>): Promise<T> {
    const sent: WriteCall[] = [];
    underWay.set(key, { since: time.now(), sent });
    try {
      return await work();
    } finally {
      // It has no answer, or comes too late for anybody to hear of it.
      for (const noted of sent) noted.answer ??= ErrorName.OutcomeUnknown;
      underWay.delete(key);
    }
  }

  return {
    ...client,
    async list(runtimeId, signal) {
      let endpoints: readonly Endpoint[] | null = null;
      try {
        endpoints = await client.list(runtimeId, signal);
        return endpoints;
      } finally {
        calls.push({ rolloutId, at: time.now(), operation: 'list', endpoints });
      }
    },
    roll: (runtimeId, endpointId, version, signal) =>
      write(`roll ${endpointId}`, () => client.roll(runtimeId, endpointId, version, signal)),
    stop: (runtimeId, endpointId, signal) =>
      write(`stop ${endpointId}`, () => client.stop(runtimeId, endpointId, signal)),
  };
}

function call<T>(carryOut: () => T): T {
  return carryOut();
}

const PLAIN: Exchange = { kind: 'plain', seconds: 0, retryAfter: 'none' };

const PATH = /^\/agent-runtimes\/([^/]+)\/endpoints(?:\/([^/?]+))?(\/stop)?(?:\?version=(\d+))?/;

function readPath({ method, path }: Arrived) {
  const [, runtimeId = '', endpointId = '', stop, version] = PATH.exec(path) ?? [];
  const operation = method === 'GET' ? 'list' : stop === undefined ? 'roll' : 'stop';
  return {
    operation,
    runtimeId: decodeURIComponent(runtimeId),
    endpointId: decodeURIComponent(endpointId),
    version: Number(version),
  } as const;
}

/** No simulated fleet has more endpoints than a page. */
function page(listData: readonly object[]): Answer {
  const { length } = listData;
  return json(200, { listData, page: 1, pageSize: 100, totalPage: 1, totalItem: length });
}

function toRow({ replicas: currentReplicaCount, ...row }: Endpoint): object {
  return { ...row, currentReplicaCount };
}

function json(status: number, body: unknown): Answer {
  const text = body === null ? '' : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json' }, body: text };
}

/** Milliseconds for which an answer asks for no calls. A date in it has a second's precision. */
function pauseOf({ headers: { 'retry-after': asked = '', date = '' } }: Answer): number {
  const seconds = date === '' ? Number(asked) : (Date.parse(asked) - Date.parse(date)) / 1000;
  return Math.min(seconds || 0, LONGEST_PAUSE_SECONDS) * 1000;
}

/** A longer pause is not kept: docs/services.md#the-client-as-a-library. */
const LONGEST_PAUSE_SECONDS = 300;

const NAME_OF_STATUS: Readonly<Record<number, ErrorName>> = {
  401: ErrorName.UpstreamAuth,
  403: ErrorName.UpstreamAuth,
  404: ErrorName.UpstreamNotFound,
  409: ErrorName.UpstreamConflict,
  423: ErrorName.UpstreamConflict,
  429: ErrorName.UpstreamThrottled,
};

/** What an answer to a write says of it. The answer to a stop has no meaning beside its status. */
function meaningOf(operation: 'roll' | 'stop', { status, headers, body }: Answer): string {
  if (status < 300) {
    const isPage = headers['content-type'] === HTML;
    const isUnclear = isPage || (operation === 'roll' && body.startsWith(ENVELOPE));
    return isUnclear ? ErrorName.OutcomeUnknown : 'accepted';
  }
  // Whoever says this may stand between the client and the service.
  if (status >= 500) return ErrorName.OutcomeUnknown;
  return NAME_OF_STATUS[status] ?? ErrorName.UpstreamRejected;
}

const HTML = 'text/html';

/** What somebody on the way says in the place of the service. `undefined`: nothing. */
function refusalOf({ kind, seconds, retryAfter }: Exchange, now: number): Answer | undefined {
  const error = (status: number, headers: Answer['headers'] = {}): Answer => {
    const answer = json(status, { error: kind });
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };
  const asks = {
    none: {},
    seconds: { 'retry-after': `${seconds}` },
    nonsense: { 'retry-after': 'soon' },
    date: {
      date: new Date(now).toUTCString(),
      'retry-after': new Date(now + seconds * 1000).toUTCString(),
    },
  }[retryAfter];
  switch (kind) {
    case 'throttled':
      return error(429, asks);
    case 'unavailable':
      return error(503, asks);
    case 'expired':
      return error(401);
    case 'forbidden':
      return error(403);
    case 'page':
      return {
        status: 200,
        headers: { 'content-type': HTML },
        body: '<html>Sign in</html>',
      };
    default:
      return undefined;
  }
}

/** One token is good at a time, and not for ever. */
function createTokens({ auth, tokenSeconds }: Wire, now: () => number) {
  let nth = 1;
  let goodUntil = Number.POSITIVE_INFINITY;
  const good = () => `token-${nth}`;
  const expire = () => {
    nth += 1;
    goodUntil = Number.POSITIVE_INFINITY;
  };
  const auths: Readonly<Record<Wire['auth'], Auth>> = {
    none: { kind: 'none' },
    bearer: { kind: 'bearer', secret: { read: async () => good() } },
    'client-credentials': {
      kind: 'client-credentials',
      tokenUrl: `${TOKENS}/token`,
      secret: { read: async () => '{"clientId":"steproll","clientSecret":"geheim"}' },
    },
  };
  return {
    auth: auths[auth],
    expire,
    mint(): Answer {
      expire();
      goodUntil = now() + tokenSeconds * 1000;
      return json(200, { access_token: good(), token_type: 'bearer', expires_in: tokenSeconds });
    },
    refuse(authorization: string | undefined): Answer | undefined {
      if (auth === 'none') return undefined;
      const isGood = authorization === `Bearer ${good()}` && now() < goodUntil;
      return isGood ? undefined : json(401, { error: 'expired' });
    },
  };
}
