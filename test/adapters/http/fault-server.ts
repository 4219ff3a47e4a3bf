import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach } from '@jest/globals';
import {
  createEndpointClient,
  type EndpointClientOptions,
} from '../../../lib/adapters/services/rest/client.ts';
import { SteprollError } from '../../../lib/domain/errors.ts';
import { createTestClock } from './test-clock.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

export interface HttpTestServer {
  readonly url: string;
  /** Sockets that were opened so far. */
  readonly sockets: () => number;
  readonly received: ReceivedRequest[];
}

/** Answers a request; `index` counts from 0. */
export type Respond = (request: ReceivedRequest, response: ServerResponse, index: number) => void;

const openThings: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(openThings.splice(0).map((close) => close()));
});

export async function startHttpServer(
  respond: Respond,
  host = '127.0.0.1',
): Promise<HttpTestServer> {
  const received: ReceivedRequest[] = [];
  const server = createHttpServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) {
      chunks.push(chunk);
    }
    const { method = '', url = '', headers } = message;
    const query = new URL(url, 'http://server').searchParams;
    const request = { method, url, query, headers, body: Buffer.concat(chunks).toString() };
    received.push(request);
    respond(request, response, received.length - 1);
  });
  let sockets = 0;
  server.on('connection', () => {
    sockets += 1;
  });
  return { url: await listen(server, 'http', host), received, sockets: () => sockets };
}

/** For faults below HTTP: `onRequest` gets the socket when bytes have arrived on it. */
export async function startSocketServer(
  onRequest: (socket: Socket, requestsOnSocket: number, sockets: number) => void,
): Promise<{ readonly url: string; readonly requests: () => number }> {
  let sockets = 0;
  let requests = 0;
  const server = createSocketServer((socket) => {
    sockets += 1;
    const number = sockets;
    let requestsOnSocket = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      requestsOnSocket += 1;
      onRequest(socket, requestsOnSocket, number);
    });
  });
  return { url: await listen(server, 'http', '127.0.0.1'), requests: () => requests };
}

export async function startTlsServer(identity: { key: string; cert: string }): Promise<string> {
  const server = createTlsServer(identity, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  return listen(server, 'https', '127.0.0.1');
}

async function listen(server: Server, scheme: string, host: string): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  openThings.push(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
    return once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A client that waits for nothing and is closed after the test. */
export function clientOf(
  baseUrl: string,
  options: Partial<EndpointClientOptions> = {},
): ReturnType<typeof createEndpointClient> {
  const client = createEndpointClient({
    baseUrl,
    clock: createTestClock(),
    random: () => 0.5,
    ...options,
  });
  openThings.push(() => client.close());
  return client;
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function rowOf(id: string, fields: object = {}): object {
  return { id, name: id, targetVersion: 1, liveVersion: 1, status: 'ACTIVE', ...fields };
}

/** Rows `e1` to `e<count>`. */
export function rowsOf(count: number): object[] {
  return Array.from({ length: count }, (_, index) => rowOf(`e${index + 1}`));
}

/** The page that was asked for, of pages of at most `largestSize`. */
export function pageOf(
  rows: readonly object[],
  query: URLSearchParams,
  largestSize = 1_000,
): object {
  const page = Number(query.get('page'));
  const size = Math.min(Number(query.get('size')), largestSize);
  return {
    listData: rows.slice((page - 1) * size, page * size),
    page,
    pageSize: size,
    totalPage: Math.ceil(rows.length / size),
    totalItem: rows.length,
  };
}

/** What the call throws. */
export async function thrownBy(call: Promise<unknown>): Promise<SteprollError> {
  const error = await call.then(
    () => new TypeError('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof SteprollError) {
    return error;
  }
  throw error;
}

/** The four operations that reach the service, by name. */
export type Operation = 'list' | 'create' | 'roll' | 'stop';

export function run(
  client: ReturnType<typeof createEndpointClient>,
  operation: Operation,
  signal?: AbortSignal,
): Promise<unknown> {
  switch (operation) {
    case 'list':
      return client.list('r1', signal);
    case 'create':
      return client.create('r1', { name: 'n' }, signal);
    case 'roll':
      return client.roll('r1', 'e1', 2, signal);
    case 'stop':
      return client.stop('r1', 'e1', signal);
  }
}

export const OPERATIONS: readonly Operation[] = ['list', 'create', 'roll', 'stop'];
export const WRITES: readonly Operation[] = ['create', 'roll', 'stop'];
