import { systemClock } from '../machine/clock.ts';
import { openConnection } from './connection.ts';
import type { OpenSockets } from './network.ts';
import { type HttpAnswer, type NoAnswer, withDeadline } from './send-request.ts';

interface Post {
  /** Absolute. It is held to its own host. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutSeconds: number;
  /** @default - with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets | undefined;
  /** Ends it early. @default - nobody does */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one POST to a server that somebody has named, on a socket of its own: sends once, follows no redirect, and does
 * not show the client certificate, which is for the service.
 */
export async function postOnce({
  url,
  headers,
  body,
  timeoutSeconds,
  openSockets,
  signal: given,
}: Post): Promise<HttpAnswer | NoAnswer> {
  const { origin, pathname, search } = new URL(url);
  const connection = openConnection({
    ...{ origin, sockets: 1, clock: systemClock },
    ...{ openSockets, socketOptions: { showsCertificate: false } },
    ...{ showBodies: false, onExchange: undefined },
  });
  try {
    return await withDeadline(systemClock, timeoutSeconds * 1_000, given, ({ signal }) =>
      connection.send({ method: 'POST', path: pathname + search, headers, body }, signal),
    );
  } finally {
    await connection.close();
  }
}
