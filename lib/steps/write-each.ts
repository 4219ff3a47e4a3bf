import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../domain/errors.ts';

/** Writes that are in flight at once within one call. */
const CONCURRENT_WRITES = 8;

export interface WrittenEndpoint {
  readonly endpointId: string;
  readonly result: 'accepted' | 'rejected' | 'unknown' | 'not-sent';
  readonly reason?: string;
  readonly message?: string;
  /** Seconds that the service asked us to wait. */
  readonly retryAfterSeconds?: number;
}

/**
 * Writes to each endpoint once and answers a row for each, in their order: one that fails does not
 * keep the others from theirs. Only a refusal that concerns all of them, or the signal, ends the batch, and the rest is
 * not sent.
 */
export async function writeEach(
  endpointIds: readonly string[],
  write: (endpointId: string) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<WrittenEndpoint[]> {
  const rows: WrittenEndpoint[] = [];
  const queue = endpointIds.entries();
  let refusal: WrittenEndpoint | undefined;
  const work = async () => {
    // The workers take from one iterator, each the next endpoint.
    for (const [index, endpointId] of queue) {
      if (signal?.aborted) {
        rows[index] = { endpointId, result: 'not-sent', reason: 'Interrupted' };
      } else if (refusal !== undefined) {
        rows[index] = { ...refusal, endpointId, result: 'not-sent' };
      } else {
        const row = await writeOne(endpointId, write);
        rows[index] = row;
        if (CONCERNS_ALL.has(row.reason ?? '')) refusal = row;
      }
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
    const { retryAfterSeconds } = error instanceof SteprollError ? error : {};
    const message = errorMessageOf(error);
    return { endpointId, result, reason, message, ...(retryAfterSeconds && { retryAfterSeconds }) };
  }
}

/**
 * Errors that say for certain that the service did not carry the write out: once a write may have arrived,
 * everything that goes wrong is `OutcomeUnknown`.
 */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  ErrorName.InvalidEndpointId,
  ErrorName.InvalidCredential,
  ErrorName.LeaseLost,
  ErrorName.LedgerUnavailable,
  ErrorName.ResponseTooLarge,
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamProtocol,
  ErrorName.UpstreamRedirect,
  ErrorName.UpstreamRejected,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTimeout,
  ErrorName.UpstreamTls,
  ErrorName.UpstreamTransient,
]);

/** Errors before anything is sent, or on the way there: the next write would meet the same. */
const CONCERNS_ALL: ReadonlySet<string> = new Set([
  ErrorName.InvalidCredential,
  ErrorName.LeaseLost,
  ErrorName.LedgerUnavailable,
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamProtocol,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTimeout,
  ErrorName.UpstreamTls,
]);
