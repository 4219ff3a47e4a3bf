import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import { understandsRecord } from '../../../contract/ledger/records.ts';
import { OPEN_AS, OPEN_INDEX, ROLLOUT_KEY_PREFIX } from '../../../contract/ledger/table.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import { leaseLost } from '../ledger-errors.ts';
import type { Item, Key, Table, Update } from './table.ts';

const packed = z.instanceof(Uint8Array);

// Every name consists of two words, because many single words, such as `request`, are reserved in DynamoDB's
// expressions.
const rolloutItem = z.object({
  runtimeId: z.string(),
  /** The epoch of the rollout's lease. When it is missing, the rollout was asked for and not opened. */
  epoch: z.number().default(0),
  startedAt: z.number(),
  requestData: packed,
  /** Where the frozen plan is. It is set once, after all parts of the plan were stored. */
  planId: z.string().optional(),
  /** Where the frozen rollback is. It is set in the same way. */
  rollbackId: z.string().optional(),
  progressData: packed.optional(),
  /** Number of the latest journal item. */
  journalSeq: z.number().optional(),
  /** The words of signals that the code that runs the rollout understands. */
  understands: understandsRecord.default([]),
  /** The signals of the rollout, in order. */
  signalData: z.array(packed).default([]),
  outcomeData: packed.optional(),
  endedAt: z.number().optional(),
  /** Its key in the index of open things: the rollout was not opened, or its end was not sent yet. */
  [OPEN_INDEX.key]: z.enum([OPEN_AS.asked, OPEN_AS.event]).optional(),
  /** Set before another rollout takes over the lease, or when the rollout is buried. */
  leaseLost: z.literal(true).optional(),
});

export type RolloutItem = z.infer<typeof rolloutItem>;

/** The id comes last, after a prefix without text from users, so no id can make the key of another item. */
export function rolloutKey(rolloutId: string): Key {
  return { pk: `${ROLLOUT_KEY_PREFIX}${rolloutId}`, sk: 'rollout' };
}

/** The rollout's id, from the key of any of its items. */
export function rolloutIdOf({ pk }: Pick<Key, 'pk'>): string {
  return pk.slice(ROLLOUT_KEY_PREFIX.length);
}

export async function findRollout(table: Table, rolloutId: string): Promise<RolloutItem | null> {
  return recordedRollout(await table.get(rolloutKey(rolloutId)));
}

/** Also answers `null` for a rollout that lost its lease or was buried before its request was recorded. */
export function recordedRollout(item: Item | null | undefined): RolloutItem | null {
  return item?.requestData === undefined ? null : parseRollout(item);
}

/** Changes the rollout's item while it is open and holds its lease. Throws `LeaseLost` otherwise. */
export async function updateOpen(
  table: Table,
  lease: Lease,
  expression: string,
  values: Item,
): Promise<RolloutItem> {
  const item = await table.update(rolloutKey(lease.rolloutId), {
    expression,
    condition:
      'epoch = :epoch AND attribute_not_exists(leaseLost) AND attribute_not_exists(outcomeData)',
    values: { ...values, ':epoch': lease.epoch },
  });
  if (item === null) throw leaseLost(lease.rolloutId);
  return parseRollout(item);
}

/** Throws `LeaseLost` unless the rollout is open and holds its lease. */
export async function assertOpen(table: Table, lease: Lease): Promise<RolloutItem> {
  const rollout = await findRollout(table, lease.rolloutId);
  if (
    rollout === null ||
    rollout.epoch !== lease.epoch ||
    rollout.leaseLost === true ||
    rollout.outcomeData !== undefined
  ) {
    throw leaseLost(lease.rolloutId);
  }
  return rollout;
}

/** The condition that a rollout has not ended, before or after it was opened. */
export const IS_OPEN = 'attribute_exists(requestData) AND attribute_not_exists(outcomeData)';

/**
 * Stores the outcome of a rollout that has none, with its event unsent. Answers the item's new state. `null` when
 * there is an outcome already, when there is no such rollout, or when the condition does not hold.
 *
 * @param only A further condition with its values. @default - none
 */
export async function storeOutcome(
  table: Table,
  rolloutId: string,
  outcome: Outcome,
  now: number,
  only: Required<Pick<Update, 'condition' | 'values'>> | null = null,
): Promise<RolloutItem | null> {
  const item = await table.update(rolloutKey(rolloutId), {
    // This is one write. If the event of an outcome were not marked as unsent, it would never be sent.
    expression: `SET outcomeData = :outcome, endedAt = :now, ${OPEN_INDEX.key} = :event`,
    condition: only === null ? IS_OPEN : `${IS_OPEN} AND ${only.condition}`,
    values: { ...only?.values, ':outcome': pack(outcome), ':now': now, ':event': OPEN_AS.event },
  });
  return item === null ? null : parseRollout(item);
}

export function parseRollout(item: Item): RolloutItem {
  return parseStored(rolloutItem, item);
}

/** An item may have 400 KB, including its keys and names. */
const PART_BYTES = 350_000;

/** The stored form of a record. It is gzipped, because ids and states repeat and DynamoDB charges by the kilobyte. */
export function pack(value: unknown): Uint8Array {
  return gzipSync(encodeRecord(value));
}

export function unpack<T>(schema: z.ZodType<T>, packed: Uint8Array): T {
  return decodeRecord(schema, gunzipSync(packed).toString());
}

/** Stores a record of any size as items `<prefix>000`, `<prefix>001`, …; answers how many items. */
export async function putParts(
  table: Table,
  pk: string,
  prefix: string,
  value: unknown,
): Promise<number> {
  const packed = pack(value);
  const parts = Math.ceil(packed.length / PART_BYTES);
  await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      table.put({
        pk,
        sk: `${prefix}${String(part).padStart(3, '0')}`,
        parts,
        data: packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
      }),
    ),
  );
  return parts;
}

/**
 * The records whose parts are in `items`, in their order. A record that lacks a part is left out: its `putParts` has
 * not returned, or never did, so nobody has relied on it.
 */
export function joinParts<T>(schema: z.ZodType<T>, items: readonly Item[]): T[] {
  const records = Map.groupBy(items.map(parsePart), ({ sk }) => sk.slice(0, sk.lastIndexOf('#')));
  return [...records.values()]
    .filter((parts) => parts.length === parts[0]?.parts)
    .map((parts) => unpack(schema, Buffer.concat(parts.map(({ data }) => data))));
}

/** A part of a record, or the whole of one. */
export const partItem = z.object({
  sk: z.string(),
  parts: z.number(),
  data: z.instanceof(Uint8Array),
});

function parsePart(item: Item): z.infer<typeof partItem> {
  return parseStored(partItem, item);
}
