import { createHmac } from 'node:crypto';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { type CheckAnswer, readHookAnswer, silent } from '../../gates/check-answer.ts';
import type { CheckQuestion } from '../../gates/checks.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { openConnection } from '../http/connection.ts';
import type { OpenSockets } from '../http/network.ts';
import { withDeadline } from '../http/send-request.ts';
import { systemClock } from '../machine/clock.ts';

interface HowToAsk {
  readonly timeoutSeconds: number;
  /** @default - with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets | undefined;
  /** The shared secret that signs the request. @default - it is not signed */
  readonly key?: string;
}

/**
 * Asks a check once, with a POST on a socket of its own. It is held to its own host, so no redirect is followed. Only a
 * 2xx with one of the words of a hook is an answer.
 */
export async function askUrl(
  url: string,
  question: CheckQuestion,
  { timeoutSeconds, openSockets, key }: HowToAsk,
): Promise<CheckAnswer> {
  const { origin, pathname } = new URL(url);
  const body = JSON.stringify(question);
  const connection = openConnection({
    ...{ origin, sockets: 1, clock: systemClock },
    ...{ openSockets, socketOptions: { showsCertificate: false } },
    ...{ showBodies: false, onExchange: undefined },
  });
  const headers = {
    'content-type': 'application/json',
    ...signatureOf(question.attemptId, body, systemClock.now(), key),
  };
  try {
    const result = await withDeadline(
      systemClock,
      timeoutSeconds * 1_000,
      undefined,
      ({ signal }) => connection.send({ method: 'POST', path: pathname, headers, body }, signal),
    );
    if (result.kind === 'no-answer') return silent(whyNoAnswer(result.cause, timeoutSeconds));
    const { status } = result;
    if (status >= 300 && status < 400) return silent(`${status}, redirects are not followed`);
    if (status < 200 || status >= 300) return silent(`${status}, which is no answer`);
    return readHookAnswer(result.body.toString(), `${status}`);
  } finally {
    await connection.close();
  }
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com). Libraries for it check the signature, and drop
 * what is old and what came before.
 *
 * @param key `whsec_` and the key in base64, or the key as it is.
 */
export function signatureOf(
  id: string,
  body: string,
  now: number,
  key?: string,
): Readonly<Record<string, string>> {
  const timestamp = `${Math.floor(now / 1000)}`;
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return named;
  const secret = key.startsWith(PREFIX) ? Buffer.from(key.slice(PREFIX.length), 'base64') : key;
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
  return { ...named, 'webhook-signature': `v1,${signature.digest('base64')}` };
}

const PREFIX = 'whsec_';

/** Why there is no answer, for people. */
export function whyNoAnswer(cause: unknown, timeoutSeconds: number): string {
  if (errorNameOf(cause) === ErrorName.UpstreamTimeout) return `no answer in ${timeoutSeconds} s`;
  return `no answer: ${codeOf(cause) || errorNameOf(cause)}`;
}
