import type { Socket } from 'node:net';
import type { buildConnector as Connector, Dispatcher } from 'undici';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { codeOf, isTlsFailure } from './classify-exchange.ts';
import type { HttpProxy } from './proxy.ts';

/** So long the proxy may take to reach a server. */
const CONNECT_TIMEOUT_MS = 4_000;

/** Opens a socket to a server over https: the proxy lets it through with CONNECT, and then sees only TLS. */
export function openTunnel(
  proxy: HttpProxy,
  dialProxy: Connector.connector,
  dial: Connector.connector,
): Connector.connector {
  return (options, callback) => {
    const { host = options.hostname, port } = options;
    const authority = port === '' ? `${host}:443` : host;
    connectTo(authority, proxy, dialProxy).then(
      (httpSocket) => dial({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * Sockets for plain http: the proxy gets each request whole and sends it on, as most proxies let only port 443
 * through. Like everybody on the way, it can read and change it.
 */
export function throughProxy<T extends Pick<Dispatcher, 'dispatch'> & { destroy(): Promise<void> }>(
  origin: string,
  proxy: HttpProxy,
  dialProxy: Connector.connector,
  openPool: (origin: string, connect: Connector.connector) => T,
) {
  const { host } = new URL(origin);
  const pool = openPool(`http://${new URL(proxy.origin).host}`, (_, callback) =>
    reach(proxy, dialProxy).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    ),
  );
  return {
    dispatch: (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) =>
      pool.dispatch(
        {
          ...request,
          path: origin + request.path,
          headers: { host, ...request.headers, ...credentialsFor(proxy) },
        },
        handler,
      ),
    destroy: () => pool.destroy(),
  };
}

/** A socket on which the proxy passes everything on to the server. */
async function connectTo(
  authority: string,
  proxy: HttpProxy,
  dialProxy: Connector.connector,
): Promise<Socket> {
  const socket = await reach(proxy, dialProxy);
  // Without a proxy nobody needs it.
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentialsFor(proxy) },
      createConnection: () => socket,
    });
    const timer = setTimeout(
      () => asked.destroy(new Error('no answer in time')),
      CONNECT_TIMEOUT_MS,
    );
    asked.once('connect', ({ statusCode = 0, statusMessage = '' }, opened: Socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        opened.unshift(head);
        resolve(opened);
        return;
      }
      opened.destroy();
      reject(refusal(proxy, authority, statusCode, statusMessage));
    });
    asked.once('error', (error) => {
      clearTimeout(timer);
      reject(faultOf(`${nameOf(proxy)} has not reached ${authority}`, error));
    });
    asked.end();
  });
}

/** A socket to the proxy itself. */
function reach(proxy: HttpProxy, dialProxy: Connector.connector): Promise<Socket> {
  const { protocol, hostname, host, port } = new URL(proxy.origin);
  const address = { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, '$1') };
  return new Promise((resolve, reject) => {
    dialProxy(address, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(faultOf(nameOf(proxy), error));
    });
  });
}

function credentialsFor({ authorization }: HttpProxy): Readonly<Record<string, string>> {
  return authorization === null ? {} : { 'proxy-authorization': authorization };
}

/** It has no code, because it says nothing of the server behind the proxy. */
function faultOf(what: string, cause: Error): Error {
  if (cause instanceof SteprollError) return cause;
  const message = `${what}: ${errorMessageOf(cause) || codeOf(cause)}`;
  return isTlsFailure(cause)
    ? new SteprollError(ErrorName.UpstreamTls, message, { cause })
    : new Error(message, { cause });
}

/** A proxy that cannot reach the server now may reach it soon. One that does not want to has its reasons. */
function refusal(proxy: HttpProxy, authority: string, status: number, text: string): Error {
  const message = `${nameOf(proxy)} does not let the call through to ${authority}: ${status} ${text}`;
  const isPassing = status >= 500 || status === 408 || status === 429;
  return isPassing ? new Error(message) : new SteprollError(ErrorName.UpstreamProxy, message);
}

function nameOf({ origin, variable }: HttpProxy): string {
  return `the proxy ${origin} (${variable})`;
}
