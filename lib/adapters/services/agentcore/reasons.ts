import type { Endpoint } from '../../../domain/endpoint/endpoint.ts';
import type { Clock } from '../../../ports/clock.ts';
import { withDeadline } from '../../http/send-request.ts';

/** A runtime has at most 10 endpoints, unless AWS has raised that. */
const MOST_ASKED = 10;
/** A list does not wait longer for what only people read. */
const PATIENCE_MS = 3_000;

/**
 * The endpoints of a list with the reasons of those that failed. Lists do not have them, so each costs a call of its
 * own. A reason that cannot be read is left out: the list is complete without it.
 */
export async function addReasons(
  endpoints: readonly Endpoint[],
  readReason: (name: string, signal: AbortSignal) => Promise<string | null>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<readonly Endpoint[]> {
  const failed = endpoints.filter(({ status }) => status?.endsWith('_FAILED'));
  if (failed.length === 0) return endpoints;
  const read = async ({ id }: Endpoint, until: AbortSignal) =>
    [id, await readReason(id, until).catch(() => null)] as const;
  const reasons = await withDeadline(clock, PATIENCE_MS, signal, ({ signal: until }) =>
    Promise.all(failed.slice(0, MOST_ASKED).map((endpoint) => read(endpoint, until))),
  );
  signal?.throwIfAborted();
  const byId = new Map(reasons);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    statusReason: byId.get(endpoint.id) ?? endpoint.statusReason,
  }));
}
