import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/**
 * Lets in only who addresses this very server: a page of another site, or a name that somebody
 * points at this machine, must not reach it through a browser.
 *
 * Throws a `Refusal` of 403.
 */
export async function refuseStrangers({ headers, socket }: FastifyRequest): Promise<void> {
  const hosts = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${socket.localPort}`);
  const host = headers.host?.toLowerCase();
  if (host === undefined || !hosts.includes(host)) {
    throw new Refusal(403, `the Host header must be one of ${hosts.join(', ')}`);
  }
  const origin = headers.origin?.toLowerCase();
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) {
    throw new Refusal(403, 'the Origin header must be absent or name this server');
  }
}
