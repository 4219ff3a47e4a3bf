import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import { type NewestWish, replacesWish } from '../../../domain/turn/queue.ts';
import type { Item, Key, Table } from './table.ts';

/** Each one more means that another wish came between the read and the write. */
const MOST_PASSES = 10;

/** Reads, decides and writes on condition that nothing has moved since. */
export async function recordWish(table: Table, wish: NewestWish, now: number): Promise<void> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const newest = await findNewestWish(table, wish);
    if (newest !== null && !replacesWish(wish, newest, now)) return;
    if (await putWish(table, wish, newest)) return;
  }
  throw new SteprollError(
    ErrorName.LedgerUnavailable,
    `The newest wish of runtime ${JSON.stringify(wish.runtimeId)} changed ${MOST_PASSES} times while it was read.`,
  );
}

export async function findNewestWish(
  table: Table,
  { runtimeId, endpointUrl }: OfRuntime,
): Promise<NewestWish | null> {
  const item = await table.get(wishKey({ runtimeId, endpointUrl }));
  if (item === null) return null;
  const { wishId, wishVersion, wishAt, wishWakesAt } = parseStored(wishItem, item);
  return {
    runtimeId,
    endpointUrl,
    rolloutId: wishId,
    desiredVersion: wishVersion,
    at: wishAt,
    wakesAt: wishWakesAt,
  };
}

/** Answers whether it was written. */
async function putWish(
  table: Table,
  { runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt }: NewestWish,
  seen: NewestWish | null,
): Promise<boolean> {
  const values = {
    ':id': rolloutId,
    ':version': desiredVersion,
    ':at': at,
    ':wakesAt': wakesAt,
  };
  const written = await table.update(wishKey({ runtimeId, endpointUrl }), {
    expression: 'SET wishId = :id, wishVersion = :version, wishAt = :at, wishWakesAt = :wakesAt',
    condition:
      seen === null
        ? 'attribute_not_exists(pk)'
        : 'wishId = :seenId AND wishAt = :seenAt AND wishWakesAt = :seenWakesAt',
    values: { ...values, ...(seen !== null && seenValues(seen)) },
  });
  return written !== null;
}

function seenValues({ rolloutId, at, wakesAt }: NewestWish): Item {
  return { ':seenId': rolloutId, ':seenAt': at, ':seenWakesAt': wakesAt };
}

type OfRuntime = Pick<NewestWish, 'runtimeId' | 'endpointUrl'>;

/** Items with the sort key `wish` are of an older steproll, which knew one wish a runtime: nobody reads them. */
function wishKey({ runtimeId, endpointUrl }: OfRuntime): Key {
  return { pk: `runtime#${runtimeId}`, sk: `wish#${endpointUrl}` };
}

const wishItem = z.object({
  wishId: z.string(),
  wishVersion: z.number(),
  wishAt: z.number(),
  wishWakesAt: z.number().nullable(),
});
