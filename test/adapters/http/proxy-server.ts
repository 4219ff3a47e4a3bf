import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';
import type { Identity } from '../../support/certificates.ts';

export interface ProxyServer {
  readonly url: string;
  /** What it was asked for, in the order of time: `CONNECT a.example.com:443`, `GET http://a.example.com/x`. */
  readonly asked: readonly string[];
  /** The values of `Proxy-Authorization`. */
  readonly authorizations: readonly (string | undefined)[];
}

interface ProxyOptions {
  /** Where everything is sent on to, whatever the name. No name is looked up. */
  readonly to: string;
  /** Answers a CONNECT with another status. `hang`: with nothing. @default - the tunnel is made */
  readonly refuse?: number | 'hang';
  /** Is called before a CONNECT is answered. @default - nothing is done */
  readonly onConnect?: () => void;
  /** Makes it a proxy over TLS. @default - it is not */
  readonly identity?: Identity;
}

const openThings: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(openThings.splice(0).map((close) => close()));
});

export async function startProxy({
  to,
  refuse,
  onConnect = () => undefined,
  identity,
}: ProxyOptions): Promise<ProxyServer> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const { hostname, port } = new URL(to);
  const note = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`);
    authorizations.push(headers['proxy-authorization']);
  };
  const server = identity === undefined ? createServer() : createHttpsServer(identity);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  };
  server.on('connection', keep);
  server.on('request', (asking: IncomingMessage, answer) => {
    note(asking);
    const { pathname, search } = new URL(asking.url ?? '');
    const { 'proxy-authorization': _, ...headers } = asking.headers;
    const on = request({ hostname, port, path: pathname + search, method: asking.method, headers });
    on.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 0, got.headers);
      got.pipe(answer);
    });
    on.on('error', () => answer.destroy());
    asking.pipe(on);
  });
  server.on('connect', (asking: IncomingMessage, socket: Socket) => {
    note(asking);
    onConnect();
    socket.on('error', () => undefined);
    if (refuse === 'hang') return;
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No Way\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const on = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(on).pipe(socket);
    });
    keep(on);
    on.on('close', () => socket.destroy());
    socket.on('close', () => on.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  openThings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    return once(server, 'close');
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `${identity ? 'https' : 'http'}://127.0.0.1:${own}`, asked, authorizations };
}
