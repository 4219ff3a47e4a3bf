import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../loopback/refusal.ts';

/**
 * Lets in only who has the token: other users of this machine reach the port too. How long the comparison takes
 * says nothing about the token.
 */
export function tokenGuard(token: string): (request: FastifyRequest) => Promise<void> {
  const wanted = digestOf(`Bearer ${token}`);
  return async ({ headers }) => {
    if (timingSafeEqual(digestOf(headers.authorization ?? ''), wanted)) return;
    throw new Refusal(401, 'send the token of this listener: Authorization: Bearer …');
  };
}

/** Of the same length, whatever was sent. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
