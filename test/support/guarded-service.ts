import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';

export interface GuardedRequest {
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

export interface GuardedService {
  readonly url: string;
  readonly tokenUrl: string;
  /** Requests to the service, without those for tokens, in the order of the answers. */
  readonly requests: readonly GuardedRequest[];
  readonly minted: () => number;
  /** Called with each request before its token is looked at. */
  onRequest: (method: string) => void;
  /** The token in use is good no more. */
  expire(): void;
  /** The client gets no more tokens. */
  revoke(): void;
  close(): Promise<void>;
}

/** The embedded service behind tokens, and the endpoint that mints them: one token is good at a time. */
export async function startGuardedService(scenario: unknown): Promise<GuardedService> {
  const inner = await startEndpointServer({
    scenario: parseScenario(scenario),
    port: 0,
    clock: systemClock,
  });
  const requests: GuardedRequest[] = [];
  let minted = 0;
  let good: string | null = null;
  let isRevoked = false;

  function mint(response: ServerResponse): void {
    if (isRevoked) {
      answer(response, 401, { error: 'invalid_client' });
      return;
    }
    minted += 1;
    good = `token-${minted}`;
    answer(response, 200, { access_token: good, token_type: 'bearer', expires_in: 3_600 });
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    service.onRequest(method);
    const isGood = good !== null && headers.authorization === `Bearer ${good}`;
    const { status, text } = isGood
      ? await send(inner.url + url, method)
      : { status: 401, text: '{"error":"expired"}' };
    requests.push({ method, url, status });
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }

  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/oauth/token') mint(response);
    else forward(request, response).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: GuardedService = {
    url,
    tokenUrl: `${url}/oauth/token`,
    requests,
    minted: () => minted,
    onRequest: () => {},
    expire() {
      good = null;
    },
    revoke() {
      good = null;
      isRevoked = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all([once(server, 'close'), inner.close()]);
    },
  };
  return service;
}

async function send(url: string, method: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method });
  return { status: answer.status, text: await answer.text() };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
