import type { WriteResult } from '../../domain/endpoint/journal.ts';
import { meaningOf } from '../../domain/error-meanings.ts';
import { errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';

/** How many writes of one call begin together and run at once. */
const HANDFUL = 8;

export interface WrittenEndpoint {
  readonly endpointId: string;
  readonly result: 'accepted' | 'rejected' | 'unknown' | 'not-sent';
  readonly reason?: string;
  readonly message?: string;
  /** Seconds that the service asked us to wait. */
  readonly retryAfterSeconds?: number;
}

interface WriteOptions {
  /** Ends the batch between two handfuls of writes. @default - the batch ends when it is done */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called just before each handful. Answers the endpoints that must not be written to, each with the reason. If it
   * throws, the batch ends.
   * @default - all may be written to
   */
  readonly findRefusals?: (endpointIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** A stable name of what went wrong. @default - the name of the error */
  readonly reasonOf?: (error: unknown) => string;
}

/**
 * Writes to each endpoint once, a handful at a time, and answers a row for each, in the same order. When one write
 * fails, the others are still made. Only the signal, or a refusal that concerns all endpoints, ends the batch; the
 * remaining writes are not sent. These are handfuls and not a pool, because `findRefusals` looks anew before each.
 */
export async function writeEach(
  endpointIds: readonly string[],
  write: (endpointId: string) => Promise<string | undefined>,
  { signal, findRefusals = async () => NO_REFUSALS, reasonOf = errorNameOf }: WriteOptions = {},
): Promise<WrittenEndpoint[]> {
  const rows: WrittenEndpoint[] = [];
  let end: NotSent | undefined;
  for (let from = 0; from < endpointIds.length; from += HANDFUL) {
    const handful = endpointIds.slice(from, from + HANDFUL);
    let refusals = NO_REFUSALS;
    try {
      if (end === undefined && !signal?.aborted) refusals = await findRefusals(handful);
    } catch (error) {
      end = { result: 'not-sent', reason: errorNameOf(error), message: errorMessageOf(error) };
    }
    const written = await Promise.all(
      handful.map(async (endpointId): Promise<WrittenEndpoint> => {
        if (end !== undefined) return { ...end, endpointId };
        const reason = signal?.aborted ? 'Interrupted' : refusals.get(endpointId);
        if (reason !== undefined) return { endpointId, result: 'not-sent', reason };
        return writeOne(endpointId, write, reasonOf);
      }),
    );
    rows.push(...written);
    const refusal = written.find(({ reason = '' }) => meaningOf(reason).others !== 'go');
    if (refusal !== undefined) end ??= { ...refusal, result: 'not-sent' };
  }
  return rows;
}

type NotSent = Omit<WrittenEndpoint, 'endpointId'> & { readonly result: 'not-sent' };

const NO_REFUSALS: ReadonlyMap<string, string> = new Map();

async function writeOne(
  endpointId: string,
  write: (endpointId: string) => Promise<string | undefined>,
  reasonOf: (error: unknown) => string,
): Promise<WrittenEndpoint> {
  try {
    const reason = await write(endpointId);
    return { endpointId, result: 'accepted', ...(reason !== undefined && { reason }) };
  } catch (error) {
    const reason = reasonOf(error);
    const result = meaningOf(errorNameOf(error)).write === 'not-made' ? 'rejected' : 'unknown';
    const { retryAfterSeconds } = error instanceof SteprollError ? error : {};
    const message = errorMessageOf(error);
    return { endpointId, result, reason, message, ...(retryAfterSeconds && { retryAfterSeconds }) };
  }
}

/** How many writes of a batch had each result. The single rows are in the journal. */
export type BatchSummary = Readonly<Partial<Record<WriteResult, number>>>;

export function countResults(rows: readonly { readonly result: WriteResult }[]): BatchSummary {
  const counts: Partial<Record<WriteResult, number>> = {};
  for (const { result } of rows) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
