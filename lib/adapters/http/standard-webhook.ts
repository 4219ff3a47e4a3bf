import { createHmac } from 'node:crypto';

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
