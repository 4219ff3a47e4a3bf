import type { LookupFunction } from 'node:net';
import { type ConnectionOptions, TLSSocket } from 'node:tls';
import type { buildConnector as Connector, Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { credentialsFor, type HttpProxy, routeTo } from './proxy.ts';

/** The sockets to one origin. They take requests in the way of undici. */
export interface Sockets extends Pick<Dispatcher, 'dispatch'> {
  destroy(): Promise<void>;
  /** Whether the server has asked for a client certificate so far. @default - nobody knows */
  wantsCertificate?(): boolean;
}

/** @param most How many sockets there are; further exchanges wait. */
export type OpenSockets = (origin: string, most: number, options?: SocketOptions) => Sockets;

export interface SocketOptions {
  /**
   * Whether a proxy may be in between. Behind it nobody sees to which address a name leads, so what comes from a list
   * goes directly, unless somebody has named the host.
   * @default true
   */
  readonly mayUseProxy?: boolean;
  /** Whether the server may see the client certificate, which is a credential. @default true */
  readonly showsCertificate?: boolean;
  /** Turns names into addresses, where no proxy does. @default - the lookup of this machine */
  readonly lookup?: LookupFunction;
  /** Ends a socket that is still connecting. Then only it limits the time to connect. @default - 4 s do */
  readonly signal?: AbortSignal;
}

/** Whom to trust and what to show: the same object until that is replaced. @param shows The client certificate, too. */
export type ReadTls = (shows: boolean) => Promise<Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>>;

/** This is less than half of the default deadline, so there is time for a second address. */
const CONNECT_TIMEOUT_MS = 4_000;
/** Node's own 250 ms gives up on routes that work: nodejs/undici#2990. */
const ADDRESS_TIMEOUT_MS = 1_000;

/**
 * Opens the sockets of calls: all of them go out through the proxies of the environment, trust the same authorities
 * and show the same client certificate.
 *
 * A socket counts as connected when the proxy has let it through and TLS stands. So nothing of a request leaves before
 * that, and whoever asks just before the first byte whether it may still be sent, asks after all of it.
 *
 * @param readTls Is asked for every socket. What it throws is why calls fail. @default - the usual authorities are
 *   trusted, and no certificate is shown
 * @param variables The environment. @default process.env
 * @returns a function that throws `InvalidInput` for a proxy that cannot be used.
 */
export function createNetwork(readTls?: ReadTls, variables = process.env): OpenSockets {
  return (origin, most, options = {}) => {
    const { mayUseProxy = true, showsCertificate = true, lookup, signal } = options;
    const { proxy } = mayUseProxy ? routeTo(origin, variables) : { proxy: null };
    const settings = {
      timeout: signal === undefined ? CONNECT_TIMEOUT_MS : 0,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
      allowH2: false,
      ...(signal !== undefined && { signal }),
    };
    const readFor = (shows: boolean) => () => readTls?.(shows);
    const dial = createDialer(
      { ...settings, ...(lookup !== undefined && { lookup }) },
      readFor(showsCertificate),
    );
    // The proxy is no server that the client certificate is meant for.
    const dialProxy = createDialer(settings, readFor(false));
    const limits = { connections: most, pipelining: 1, allowH2: false };
    const isTls = origin.startsWith('https:');
    if (proxy === null && !isTls) return new Pool(origin, { ...limits, connect: dial });
    if (proxy === null) return overTls(dial, (connect) => new Pool(origin, { ...limits, connect }));
    const connect: Connector.connector = (to, callback) => {
      // Most machines have no proxy.
      import('./tunnel.ts')
        .then(({ connectThrough, reach }) =>
          isTls ? connectThrough(to, proxy, dialProxy) : reach(proxy, dialProxy),
        )
        .then(
          (socket) =>
            isTls ? dial({ ...to, httpSocket: socket }, callback) : callback(null, socket),
          (error: Error) => callback(error, null),
        );
    };
    if (isTls)
      return overTls(connect, (noting) => new Pool(origin, { ...limits, connect: noting }));
    // The connection to the proxy may be TLS, but what is spoken on it is plain http.
    const pool = new Pool(`http://${new URL(proxy.origin).host}`, { ...limits, connect });
    return handOverWhole(origin, proxy, pool);
  };
}

/** Notes for a pool what its server asks for in the handshake. */
function overTls(
  connect: Connector.connector,
  openPool: (connect: Connector.connector) => Sockets,
): Sockets {
  let isAsked = false;
  const pool = openPool((to, callback) =>
    connect(to, (...opened) => {
      const [, socket] = opened;
      // A client shares these with its server only to sign for its certificate.
      isAsked ||= socket instanceof TLSSocket && socket.getSharedSigalgs().length > 0;
      callback(...opened);
    }),
  );
  return {
    dispatch: (request, handler) => pool.dispatch(request, handler),
    destroy: () => pool.destroy(),
    wantsCertificate: () => isAsked,
  };
}

/**
 * Over plain http the proxy gets each request whole and sends it on, because most proxies make a way only to port 443.
 * Like everybody on the way, it can read and change the request.
 */
function handOverWhole(origin: string, proxy: HttpProxy, pool: Sockets): Sockets {
  const { host } = new URL(origin);
  return {
    dispatch({ path, headers, ...request }, handler) {
      const all = { host, ...headers, ...credentialsFor(proxy) };
      return pool.dispatch({ ...request, path: origin + path, headers: all }, handler);
    },
    destroy: () => pool.destroy(),
  };
}

/** What was replaced since the last socket was opened is used for the next one. */
function createDialer(
  settings: Connector.BuildOptions,
  read: () => ReturnType<ReadTls> | undefined,
): Connector.connector {
  let last = { tls: {}, connect: buildConnector(settings) };
  return (options, callback) => {
    const reading = options.protocol === 'https:' ? read() : undefined;
    if (reading === undefined) return last.connect(options, callback);
    reading
      .then((tls) => {
        if (tls !== last.tls) last = { tls, connect: buildConnector({ ...settings, ...tls }) };
        last.connect(options, callback);
      })
      .catch((error: Error) => callback(error, null));
  };
}
