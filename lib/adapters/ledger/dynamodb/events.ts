import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { eventRecord } from '../../../contract/ledger/records.ts';
import { OPEN_AS, OPEN_INDEX } from '../../../contract/ledger/table.ts';
import { eventIdOf, type RolloutEvent } from '../../../domain/rollout/event.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { RolloutRecord } from '../../../domain/rollout/record.ts';
import { assertOpen, pack, type RolloutItem, rolloutIdOf, rolloutKey, unpack } from './items.ts';
import type { Item, Key, Table } from './table.ts';

export async function recordEvent(table: Table, lease: Lease, event: RolloutEvent): Promise<void> {
  // A process that slept must not add an event to a rollout that has ended meanwhile.
  await assertOpen(table, lease);
  await table.update(eventKey(lease.rolloutId, event.eventId), {
    expression: `SET eventData = :event, ${OPEN_INDEX.key} = :open`,
    condition: 'attribute_not_exists(pk)',
    values: { ':event': pack(event), ':open': OPEN_AS.event },
  });
}

export async function markSent(
  table: Table,
  rolloutId: string,
  eventIds: readonly string[],
): Promise<void> {
  const end = eventIdOf(rolloutId, 'ended');
  for (const eventId of eventIds) {
    const key = eventId === end ? rolloutKey(rolloutId) : eventKey(rolloutId, eventId);
    await table.update(key, {
      expression: `REMOVE ${OPEN_INDEX.key}`,
      condition: 'attribute_exists(pk)',
    });
  }
}

export async function listUnsent(table: Table): Promise<readonly string[]> {
  const items = await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.event });
  return [...new Set(parseStored(keys, items).map(rolloutIdOf))];
}

/** The part of a rollout's record that is about its events. */
export function eventsAmong(
  items: readonly Item[],
  rolloutId: string,
  rollout: RolloutItem,
): Pick<RolloutRecord, 'events' | 'unsent'> {
  const events = parseStored(eventItems, items).flatMap(({ eventData, ...item }) => {
    const event = unpack(eventRecord, eventData);
    return event === null ? [] : [{ event, isSent: item[OPEN_INDEX.key] === undefined }];
  });
  const unsent = events.filter(({ isSent }) => !isSent).map(({ event }) => event.eventId);
  const isEndUnsent = rollout[OPEN_INDEX.key] === OPEN_AS.event;
  return {
    events: events.map(({ event }) => event),
    unsent: isEndUnsent ? [...unsent, eventIdOf(rolloutId, 'ended')] : unsent,
  };
}

export const EVENT = 'event#';

function eventKey(rolloutId: string, eventId: string): Key {
  return { pk: rolloutKey(rolloutId).pk, sk: `${EVENT}${eventId}` };
}

const keys = z.array(z.object({ pk: z.string() }));
const eventItems = z.array(
  z.object({
    eventData: z.instanceof(Uint8Array),
    [OPEN_INDEX.key]: z.literal(OPEN_AS.event).optional(),
  }),
);
