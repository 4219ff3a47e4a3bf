import { OPEN_AS, OPEN_INDEX, ROLLOUT_KEY_PREFIX } from '../contract/ledger/table.ts';
import { eventIdOf, type RolloutEvent } from '../domain/rollout/event.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import { eventKey, rolloutIdOf, rolloutKey } from './keys.ts';
import { proveLease } from './lease.ts';
import { expire, find, get, type Rule, update } from './storage.ts';

export function* recordEvent(lease: Lease, event: RolloutEvent): Rule<void> {
  // A process that slept must not add an event to a rollout that has ended meanwhile.
  yield* proveLease(lease);
  yield* update({
    key: eventKey(lease.rolloutId, event.eventId),
    set: { event, openAs: OPEN_AS.event },
    only: { event: 'absent' },
  });
  // Who has ended the rollout since the proof has not seen the event, and told the storage nothing of it.
  const rollout = rolloutKey(lease.rolloutId);
  const { expiresAt: at } = yield* get(rollout, 'expiresAt');
  if (at !== undefined) yield* expire({ pk: rollout.pk, at });
}

export function* markSent(rolloutId: string, eventIds: readonly string[]): Rule<void> {
  const end = eventIdOf(rolloutId, 'ended');
  for (const eventId of eventIds) {
    yield* update({
      key: eventId === end ? rolloutKey(rolloutId) : eventKey(rolloutId, eventId),
      set: { openAs: null },
      only: { openAs: { is: OPEN_AS.event } },
    });
  }
}

export function* listUnsent(): Rule<readonly string[]> {
  const unsent = yield* find({
    index: OPEN_INDEX,
    value: OPEN_AS.event,
    prefix: ROLLOUT_KEY_PREFIX,
    fields: [],
  });
  return [...new Set(unsent.map(({ key }) => rolloutIdOf(key)))];
}
