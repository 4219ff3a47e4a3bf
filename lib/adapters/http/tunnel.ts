import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { buildConnector as Connector } from 'undici';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { codeOf, isTlsFailure } from './classify-exchange.ts';
import { excerptOf } from './excerpt.ts';
import { credentialsFor, type HttpProxy } from './proxy.ts';

/** So long the proxy may take to reach a server. */
const CONNECT_TIMEOUT_MS = 4_000;

/** A socket to a server: the proxy makes the way with CONNECT, and then passes on what it cannot read. */
export async function connectThrough(
  { host = '', port }: Connector.Options,
  proxy: HttpProxy,
  dialProxy: Connector.connector,
): Promise<Socket> {
  const authority = port === '' ? `${host}:443` : host;
  const socket = await reach(proxy, dialProxy);
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
export function reach(proxy: HttpProxy, dialProxy: Connector.connector): Promise<Socket> {
  const { protocol, hostname, host, port } = new URL(proxy.origin);
  const address = { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, '$1') };
  return new Promise((resolve, reject) => {
    dialProxy(address, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(faultOf(nameOf(proxy), error));
    });
  });
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
  const said = excerptOf(text);
  const message = `${nameOf(proxy)} does not let the call through to ${authority}: ${status} ${said}`;
  const isPassing = status >= 500 || status === 408 || status === 429;
  return isPassing ? new Error(message) : new SteprollError(ErrorName.UpstreamProxy, message);
}

function nameOf({ origin, variable }: HttpProxy): string {
  return `the proxy ${origin} (${variable})`;
}
