import type { rowsAnswerSchema } from '../../contract/functions/operations.ts';
import { meaningOf } from '../../domain/error-meanings.ts';
import { errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import type { Stored } from '../../domain/stored.ts';
import { HANDFUL } from '../../domain/writes/pace.ts';

export type WrittenEndpoint = Stored<typeof rowsAnswerSchema>[number];

/**
 * Writes to each endpoint once, a handful at a time, and answers a row for each, in the same order. When one write
 * fails, the others are still made. Only a refusal that concerns all endpoints ends it; the remaining writes are not
 * sent.
 */
export async function writeEach(
  endpointIds: readonly string[],
  write: (endpointId: string) => Promise<void>,
): Promise<WrittenEndpoint[]> {
  const rows: WrittenEndpoint[] = [];
  let refusal: WrittenEndpoint | undefined;
  for (let from = 0; from < endpointIds.length; from += HANDFUL) {
    const { endpointId: _, ...end } = { ...refusal, result: 'not-sent' } as const;
    const written = await Promise.all(
      endpointIds
        .slice(from, from + HANDFUL)
        .map((endpointId) =>
          refusal === undefined
            ? writeOne(endpointId, () => write(endpointId))
            : { ...end, endpointId },
        ),
    );
    rows.push(...written);
    refusal ??= written.find(({ reason = '' }) => meaningOf(reason).others !== 'go');
  }
  return rows;
}

/** Writes to one endpoint. @param write Answers the reason of an accepted write whose answer says more than a yes. */
export async function writeOne(
  endpointId: string,
  write: () => Promise<string | undefined> | Promise<void>,
  reasonOf: (error: unknown) => string = errorNameOf,
): Promise<WrittenEndpoint> {
  try {
    const reason = (await write()) ?? undefined;
    return { endpointId, result: 'accepted', ...(reason !== undefined && { reason }) };
  } catch (error) {
    const reason = reasonOf(error);
    const result = meaningOf(errorNameOf(error)).write === 'not-made' ? 'rejected' : 'unknown';
    const { retryAfterSeconds } = error instanceof SteprollError ? error : {};
    const message = errorMessageOf(error);
    return { endpointId, result, reason, message, ...(retryAfterSeconds && { retryAfterSeconds }) };
  }
}
