import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import type { WriteResult } from '../domain/rollout.ts';

/** Writes that are in flight at once within one call. */
const CONCURRENT_WRITES = 8;

export interface WrittenEndpoint {
  readonly endpointId: string;
  readonly result: WriteResult;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Writes to each endpoint once and answers a row for each: one that fails does not keep the others
 * from theirs. Only a refusal that concerns all of them, or the signal, ends the batch, and the rest is
 * not sent.
 */
export async function writeEach(
  endpointIds: readonly string[],
  write: (endpointId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<WrittenEndpoint[]> {
  const rows: WrittenEndpoint[] = [];
  const queue = [...endpointIds];
  let refusal: WrittenEndpoint | undefined;
  const work = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      if (signal?.aborted) {
        rows.push({ endpointId: id, result: 'not-sent', reason: 'Interrupted' });
        continue;
      }
      if (refusal !== undefined) {
        rows.push({ ...refusal, endpointId: id, result: 'not-sent' });
        continue;
      }
      const row = await writeOne(id, write);
      rows.push(row);
      if (CONCERNS_ALL.has(row.reason ?? '')) refusal = row;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_WRITES }, work));
  return rows;
}

async function writeOne(
  endpointId: string,
  write: (endpointId: string) => Promise<string | undefined>,
): Promise<WrittenEndpoint> {
  try {
    const reason = await write(endpointId);
    return { endpointId, result: 'accepted', ...(reason !== undefined && { reason }) };
  } catch (error) {
    const reason = errorNameOf(error);
    const result = NOT_CARRIED_OUT.has(reason) ? 'rejected' : 'unknown';
    return { endpointId, result, reason, message: errorMessageOf(error) };
  }
}

/** Errors that say for certain that the service did not carry the write out. */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  ErrorName.InvalidEndpointId,
  ErrorName.InvalidCredential,
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamRedirect,
  ErrorName.UpstreamRejected,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTls,
  ErrorName.UpstreamTransient,
]);

const CONCERNS_ALL: ReadonlySet<string> = new Set([
  ErrorName.InvalidCredential,
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTls,
]);
