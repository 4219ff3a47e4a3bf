import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/** A new token that nobody can guess, in characters that may stand in a URL. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Lets in only requests with the token, because other users of this machine reach the port too. The time of the
 * comparison tells nothing about the token. A hook for `onRequest`.
 *
 * Throws a `Refusal` of 401.
 *
 * @param whose What asks for its token, for the refusal.
 */
export function tokenGuard(
  token: string,
  whose: 'listener' | 'console',
): (request: Pick<FastifyRequest, 'headers'>) => Promise<void> {
  const wanted = digestOf(`Bearer ${token}`);
  return async ({ headers }) => {
    if (timingSafeEqual(digestOf(headers.authorization ?? ''), wanted)) return;
    throw new Refusal(401, `send the token of this ${whose}: Authorization: Bearer …`);
  };
}

/**
 * Whose token a request has, of several people.
 *
 * @throws `Refusal` of 401 when it has nobody's.
 */
export function ownerOfToken(
  { headers }: Pick<FastifyRequest, 'headers'>,
  tokens: ReadonlyMap<string, string>,
): string {
  const given = digestOf(headers.authorization ?? '');
  const [owner] = [...tokens].filter(([, token]) =>
    timingSafeEqual(given, digestOf(`Bearer ${token}`)),
  );
  if (owner !== undefined) return owner[0];
  throw new Refusal(401, 'send your own token: Authorization: Bearer …');
}

/** A digest always has the same length, whatever was sent. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
