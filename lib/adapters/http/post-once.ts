import { createHmac } from 'node:crypto';
import { systemClock } from '../machine/clock.ts';
import { openConnection } from './connection.ts';
import type { OpenSockets } from './network.ts';
import { type HttpAnswer, type IsEnough, type NoAnswer, withDeadline } from './send-request.ts';

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
  /** When the rest of the answer is not read. @default - it is read to its end */
  readonly isEnough?: IsEnough;
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
  isEnough,
}: Post): Promise<HttpAnswer | NoAnswer> {
  const { origin, pathname, search } = new URL(url);
  const connection = openConnection({
    ...{ origin, sockets: 1, clock: systemClock },
    ...{ openSockets, socketOptions: { showsCertificate: false } },
    ...{ showBodies: false, onExchange: undefined },
  });
  try {
    return await withDeadline(systemClock, timeoutSeconds * 1_000, given, ({ signal }) =>
      connection.send(
        { method: 'POST', path: pathname + search, headers, body },
        signal,
        undefined,
        isEnough,
      ),
    );
  } finally {
    await connection.close();
  }
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com). Libraries for it check the signature, and drop
 * what is old and what came before.
 *
 * @param id Any text: what may not stand in a header is percent-encoded in it, and so in what is signed.
 * @param key `whsec_` and the key in base64, or the key as it is.
 */
export function signatureOf(
  id: string,
  body: string,
  now: number,
  key?: string,
): Readonly<Record<string, string>> {
  const timestamp = `${Math.floor(now / 1000)}`;
  const shownId = id.toWellFormed().replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent);
  const named = { 'webhook-id': shownId, 'webhook-timestamp': timestamp };
  if (key === undefined) return named;
  const secret = key.startsWith(PREFIX) ? Buffer.from(key.slice(PREFIX.length), 'base64') : key;
  const signature = createHmac('sha256', secret).update(`${shownId}.${timestamp}.${body}`);
  return { ...named, 'webhook-signature': `v1,${signature.digest('base64')}` };
}

const PREFIX = 'whsec_';
