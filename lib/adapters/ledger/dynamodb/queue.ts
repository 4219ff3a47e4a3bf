import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import { type LatestRequest, replacesLatest } from '../../../domain/turn/queue.ts';
import type { Item, Key, Table } from './table.ts';

/** Each further pass means that another request came between the read and the write. */
const MOST_PASSES = 10;

/** Reads, decides and writes, on condition that nothing has changed since the read. */
export async function recordLatestRequest(
  table: Table,
  request: LatestRequest,
  now: number,
): Promise<void> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const newest = await findLatestRequest(table, request);
    if (newest !== null && !replacesLatest(request, newest, now)) return;
    if (await putLatest(table, request, newest)) return;
  }
  throw new SteprollError(
    ErrorName.LedgerUnavailable,
    `The latest request for runtime ${JSON.stringify(request.runtimeId)} changed ${MOST_PASSES} times while it was read.`,
  );
}

export async function findLatestRequest(
  table: Table,
  { runtimeId, endpointUrl }: OfRuntime,
): Promise<LatestRequest | null> {
  const item = await table.get(latestKey({ runtimeId, endpointUrl }));
  if (item === null) return null;
  const { latestId, latestVersion, latestAt, latestWakesAt } = parseStored(latestItem, item);
  return {
    runtimeId,
    endpointUrl,
    rolloutId: latestId,
    desiredVersion: latestVersion,
    at: latestAt,
    wakesAt: latestWakesAt,
  };
}

/** Answers whether the request was written. */
async function putLatest(
  table: Table,
  { runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt }: LatestRequest,
  seen: LatestRequest | null,
): Promise<boolean> {
  const values = {
    ':id': rolloutId,
    ':version': desiredVersion,
    ':at': at,
    ':wakesAt': wakesAt,
  };
  const written = await table.update(latestKey({ runtimeId, endpointUrl }), {
    expression:
      'SET latestId = :id, latestVersion = :version, latestAt = :at, latestWakesAt = :wakesAt',
    condition:
      seen === null
        ? 'attribute_not_exists(pk)'
        : 'latestId = :seenId AND latestAt = :seenAt AND latestWakesAt = :seenWakesAt',
    values: { ...values, ...(seen !== null && seenValues(seen)) },
  });
  return written !== null;
}

function seenValues({ rolloutId, at, wakesAt }: LatestRequest): Item {
  return { ':seenId': rolloutId, ':seenAt': at, ':seenWakesAt': wakesAt };
}

type OfRuntime = Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>;

function latestKey({ runtimeId, endpointUrl }: OfRuntime): Key {
  return { pk: `runtime#${runtimeId}`, sk: `latest#${endpointUrl}` };
}

const latestItem = z.object({
  latestId: z.string(),
  latestVersion: z.number(),
  latestAt: z.number(),
  latestWakesAt: z.number().nullable(),
});
