import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { eventIdOf, type RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { Lease } from '../../../lib/domain/rollout/lease.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { everyEvent } from '../../domain/events/examples.ts';
import { EXPIRED, NOW, opened, requestOf, SUCCEEDED } from './ledger-examples.ts';

/** What every ledger promises of what is told of rollouts. */
export function describeEvents(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('what is told of a rollout', () => {
    test('is read in the order of the ids, in whatever order it came, and is unsent', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const events = eventsOf(lease);
      for (const event of events.toReversed()) await ledger.recordEvent(lease, event);

      const record = await ledger.read(lease.rolloutId);
      expect(record.events).toEqual(events);
      expect(record.unsent).toEqual(idsOf(events));
    });

    test('A12: told again, later and in other words, it stays as it is, and sent', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const start = startOf(lease);
      await ledger.recordEvent(lease, start);
      await ledger.markSent(lease.rolloutId, [start.eventId]);

      await ledger.recordEvent(lease, { ...start, at: NOW + 1, message: 'Once more.' });

      const { events, unsent } = await ledger.read(lease.rolloutId);
      expect(events).toEqual([start]);
      expect(unsent).toEqual([]);
    });

    test('A12: told twice at once it is there once', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const start = startOf(lease);

      await Promise.all([ledger.recordEvent(lease, start), ledger.recordEvent(lease, start)]);

      expect((await ledger.read(lease.rolloutId)).events).toEqual([start]);
    });

    test('A14: what was sent is marked one by one; ids that nobody knows are nothing', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const [first, second, third] = eventsOf(lease).slice(0, 3) as [
        RolloutEvent,
        RolloutEvent,
        RolloutEvent,
      ];
      for (const event of [first, second, third]) await ledger.recordEvent(lease, event);

      await ledger.markSent(lease.rolloutId, [first.eventId, 'unknown', third.eventId]);
      await ledger.markSent(lease.rolloutId, []);
      await ledger.markSent(randomUUID(), [second.eventId]);

      const { events, unsent } = await ledger.read(lease.rolloutId);
      expect(unsent).toEqual([second.eventId]);
      expect(events).toHaveLength(3);
    });

    test('the end is unsent from the moment of the close, last, until it is marked', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const start = startOf(lease);
      const end = eventIdOf(lease.rolloutId, 'ended');
      await ledger.recordEvent(lease, start);
      await ledger.close(lease.rolloutId, SUCCEEDED, NOW);
      expect((await ledger.read(lease.rolloutId)).unsent).toEqual([start.eventId, end]);

      await ledger.markSent(lease.rolloutId, [start.eventId, end]);

      const { events, unsent } = await ledger.read(lease.rolloutId);
      expect(unsent).toEqual([]);
      expect(events).toEqual([start]);
    });

    test('A10: a second close does not tell the end once more', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);
      await ledger.close(rolloutId, SUCCEEDED, NOW);
      await ledger.markSent(rolloutId, [eventIdOf(rolloutId, 'ended')]);

      await ledger.close(rolloutId, { ...SUCCEEDED, outcome: 'Failed' }, NOW + 1);

      expect((await ledger.read(rolloutId)).unsent).toEqual([]);
      expect(await isUnsent(ledger, rolloutId)).toBe(false);
    });

    test('the end of a rollout that is under way cannot be marked in advance', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);
      const end = eventIdOf(rolloutId, 'ended');

      await ledger.markSent(rolloutId, [end]);
      await ledger.close(rolloutId, SUCCEEDED, NOW);

      expect((await ledger.read(rolloutId)).unsent).toEqual([end]);
    });

    test('who marks needs no lease, and takes none away', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      const start = startOf(old);
      await ledger.recordEvent(old, start);
      const next = await ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 1);

      await ledger.markSent(old.rolloutId, [start.eventId]);

      expect((await ledger.read(old.rolloutId)).unsent).toEqual([
        eventIdOf(old.rolloutId, 'ended'),
      ]);
      await ledger.recordEvent(next, startOf(next));
    });

    test('A14: a rollout is listed, once, as long as anything of it is unsent', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const { rolloutId } = lease;
      expect(await isUnsent(ledger, rolloutId)).toBe(false);

      const events = eventsOf(lease);
      for (const event of events) await ledger.recordEvent(lease, event);
      expect((await ledger.listUnsent()).filter((id) => id === rolloutId)).toHaveLength(1);
      await ledger.markSent(rolloutId, idsOf(events));
      expect(await isUnsent(ledger, rolloutId)).toBe(false);

      await ledger.close(rolloutId, SUCCEEDED, NOW);
      expect(await isUnsent(ledger, rolloutId)).toBe(true);
      await ledger.markSent(rolloutId, [eventIdOf(rolloutId, 'ended')]);
      expect(await isUnsent(ledger, rolloutId)).toBe(false);
    });

    test('a lease that is held and a rollout that is buried have nothing to tell', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);
      const buried = randomUUID();
      await ledger.bury(buried);

      expect(await isUnsent(ledger, rolloutId)).toBe(false);
      expect(await isUnsent(ledger, buried)).toBe(false);
    });
  });
}

/** One of each kind that is recorded, in order. */
function eventsOf({ rolloutId }: Lease): readonly RolloutEvent[] {
  return everyEvent({ rolloutId }).slice(0, -1);
}

export function startOf(lease: Lease): RolloutEvent {
  return eventsOf(lease)[0] as RolloutEvent;
}

function idsOf(events: readonly RolloutEvent[]): string[] {
  return events.map(({ eventId }) => eventId);
}

/** Other tests may have rollouts in the same ledger. */
async function isUnsent(ledger: Ledger, rolloutId: string): Promise<boolean> {
  return (await ledger.listUnsent()).includes(rolloutId);
}
