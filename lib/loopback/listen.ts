import type { FastifyInstance } from 'fastify';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';

/**
 * Listens on this machine's own address alone, and answers the URL. Port 0: any that is free.
 *
 * @throws `PortUnavailable`, `InvalidInput` for another host than `127.0.0.1` and `::1`.
 */
export async function listenOnLoopback(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `the host ${JSON.stringify(host)} is not allowed; use "127.0.0.1" or "::1"`,
    );
  }
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    throw new SteprollError(
      ErrorName.PortUnavailable,
      `Cannot listen on ${host} port ${port}: ${errorMessageOf(cause)}.`,
      { cause },
    );
  }
}
