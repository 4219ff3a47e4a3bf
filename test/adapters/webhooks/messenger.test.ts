import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import type { Deliver, Delivery } from '../../../lib/adapters/webhooks/deliver.ts';
import { createMessenger } from '../../../lib/adapters/webhooks/messenger.ts';
import { openOutbox } from '../../../lib/adapters/webhooks/outbox.ts';
import type { Webhook } from '../../../lib/contract/config/webhooks.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { everyEvent } from '../../domain/events/examples.ts';
import { inFakeTime } from '../../support/fake-timers.ts';

const HOOK: Webhook = { url: 'https://hooks.example.com/T0/canary', format: 'json' };
const OTHER: Webhook = { url: { environment: 'OTHER' }, format: 'json' };
const DELIVERED: Delivery = { result: 'delivered' };
const DOWN: Delivery = { result: 'failed', why: '500', waitMs: 0 };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-messenger-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Events of a rollout that happen now. */
function eventsOf(rolloutId: string): readonly RolloutEvent[] {
  return everyEvent({ rolloutId }).map((event) => ({
    ...event,
    eventId: event.eventId.replace(/^[^/]*/, rolloutId),
    at: Date.now(),
  }));
}

/** The end of a rollout, for this reason. */
function endOf(rolloutId: string, reason: string): RolloutEvent {
  return { ...(eventsOf(rolloutId).at(-1) as RolloutEvent & { readonly kind: 'ended' }), reason };
}

const ofRollout = (id: string, ids: readonly string[]) => ids.filter((one) => one.startsWith(id));

const idsOf = (events: readonly RolloutEvent[]) => events.map(({ eventId }) => eventId);

interface Said {
  readonly webhooks?: readonly Webhook[];
  readonly deliver: Deliver;
  /** Processes that are gone. */
  readonly gone?: readonly string[];
}

/** What a process of this name does with its webhooks. */
function startProcess(name: string, { webhooks = [HOOK], deliver, gone = [] }: Said) {
  const owner = { name, isGone: (other: string) => gone.includes(other) };
  const outbox = openOutbox(join(folder, 'ledger.sqlite'), owner);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  return { ...createMessenger({ webhooks, outbox, deliver, clock: systemClock, log }), lines };
}

/** A server that answers as it is told to, at a time, and notes what it has taken. */
function serverOf(answer: (eventId: string, tries: number) => Delivery = () => DELIVERED) {
  const taken: string[] = [];
  const tries: { readonly eventId: string; readonly at: number }[] = [];
  const deliver: Deliver = async (_, { eventId }) => {
    tries.push({ eventId, at: Date.now() });
    await systemClock.sleep(100);
    const delivery = answer(eventId, tries.length);
    if (delivery.result === 'delivered') taken.push(eventId);
    return delivery;
  };
  return { taken, tries, deliver };
}

async function publishAll(bus: { publish(event: RolloutEvent): Promise<void> }, id = 'one') {
  const events = eventsOf(id);
  for (const event of events) await bus.publish(event);
  return idsOf(events);
}

describe('a webhook', () => {
  test('gets each event once and in order, and nothing is left', () =>
    inFakeTime(async () => {
      const server = serverOf();
      const messenger = startProcess('one', { deliver: server.deliver });
      const ids = await publishAll(messenger);
      expect(await messenger.end()).toEqual([]);
      expect(server.taken).toEqual(ids);
      expect(server.tries).toHaveLength(ids.length);
    }));

  test('that was down gets everything in order, later ones after earlier ones', () =>
    inFakeTime(async () => {
      const server = serverOf((_, tries) => (tries % 3 === 0 ? DELIVERED : DOWN));
      const messenger = startProcess('one', { deliver: server.deliver });
      const ids = await publishAll(messenger);
      await systemClock.sleep(3_600_000);
      expect(server.taken).toEqual(ids);
      await messenger.end();
    }));

  test('gets only the kinds that it asks for', () =>
    inFakeTime(async () => {
      const server = serverOf();
      const webhooks: Webhook[] = [{ ...HOOK, events: ['failing', 'ended'] }];
      const messenger = startProcess('one', { webhooks, deliver: server.deliver });
      await publishAll(messenger);
      await messenger.end();
      expect(server.taken.map((id) => id.replace(/.*-/, ''))).toEqual(['failing', 'ended']);
    }));

  test.each([
    ['kept-out', ['kept-out']],
    ['ended', ['ended']],
  ] as const)('that asks for %s gets those ends and no others', (kind, wanted) =>
    inFakeTime(async () => {
      const server = serverOf();
      const messenger = startProcess('one', {
        webhooks: [{ ...HOOK, events: [kind] }],
        deliver: server.deliver,
      });
      const ends = { ended: endOf('one', 'Stalled'), 'kept-out': endOf('two', 'Overtaken') };
      for (const event of Object.values(ends)) await messenger.publish(event);
      await messenger.end();
      expect(server.taken).toEqual(wanted.map((one) => ends[one].eventId));
    }),
  );

  test('that is down keeps no other one waiting', () =>
    inFakeTime(async () => {
      const taken: string[] = [];
      const deliver: Deliver = async ({ url }, { eventId }) => {
        if (url === HOOK.url) return DOWN;
        taken.push(eventId);
        return DELIVERED;
      };
      const messenger = startProcess('one', { webhooks: [HOOK, OTHER], deliver });
      const ids = await publishAll(messenger);
      await systemClock.sleep(1);
      expect(taken).toEqual(ids);
      await messenger.end();
    }));

  test('is tried again after longer and longer pauses, of a minute at most, and told once', () =>
    inFakeTime(async () => {
      const server = serverOf(() => DOWN);
      const messenger = startProcess('one', { deliver: server.deliver });
      await publishAll(messenger);
      await systemClock.sleep(600_000);
      const pauses = server.tries.slice(1).map(({ at }, index) => {
        return Math.round((at - (server.tries[index]?.at ?? 0)) / 1000);
      });
      expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
      expect(messenger.lines).toHaveLength(1);
      await messenger.end();
    }));

  test('that says when to come again is not asked before, whatever happens meanwhile', () =>
    inFakeTime(async () => {
      const busy: Delivery = { result: 'failed', why: '429', waitMs: 20_000 };
      const server = serverOf((_, tries) => (tries === 1 ? busy : DELIVERED));
      const messenger = startProcess('one', { deliver: server.deliver });
      const [first, ...others] = eventsOf('one');
      await messenger.publish(first as RolloutEvent);
      await systemClock.sleep(5_000);
      for (const event of others) await messenger.publish(event);
      await messenger.end();
      expect(server.taken).toHaveLength(others.length + 1);
      expect((server.tries[1]?.at ?? 0) - (server.tries[0]?.at ?? 0)).toBeGreaterThanOrEqual(
        20_000,
      );
    }));

  test('that refuses one message five times does not get it, and gets the others', () =>
    inFakeTime(async () => {
      const server = serverOf((id) =>
        id.endsWith('failing') ? { result: 'refused', why: '400' } : DELIVERED,
      );
      const messenger = startProcess('one', { deliver: server.deliver });
      const ids = await publishAll(messenger);
      await messenger.end();
      expect(server.taken).toEqual(ids.filter((id) => !id.endsWith('failing')));
      expect(server.tries.filter(({ eventId }) => eventId.endsWith('failing'))).toHaveLength(5);
      expect(messenger.lines.join()).toMatch(/refused one\/.*-failing with 400/);
    }));
});

const REFUSED: Delivery = { result: 'refused', why: '400' };
const FORBIDDEN: Delivery = { result: 'failed', why: '403', waitMs: 0 };

describe('one message', () => {
  test('that is refused keeps nobody waiting, not even its own rollout, and what is given up is told once', () =>
    inFakeTime(async () => {
      const server = serverOf((id) => (id.startsWith('bad') ? REFUSED : DELIVERED));
      const messenger = startProcess('one', { deliver: server.deliver });
      const bad = await publishAll(messenger, 'bad');
      const good = await publishAll(messenger, 'good');
      await systemClock.sleep(3_000);
      expect(server.taken).toEqual(good);
      await systemClock.sleep(600_000);
      const later = await publishAll(messenger, 'later');
      await systemClock.sleep(3_600_000);
      expect(server.taken).toEqual([...good, ...later]);
      for (const id of bad) {
        expect(
          messenger.lines.filter((line) => line.includes(`refused ${id} with 400`)),
        ).toHaveLength(1);
      }
      expect(messenger.lines).toHaveLength(bad.length + 1);
      expect(await messenger.end()).toEqual([]);
    }));

  test('is not given up while the server refuses every message', () =>
    inFakeTime(async () => {
      const recoversAt = Date.now() + 1_800_000;
      const server = serverOf(() => (Date.now() < recoversAt ? REFUSED : DELIVERED));
      const messenger = startProcess('one', { deliver: server.deliver });
      const ids = await publishAll(messenger);
      await systemClock.sleep(1_800_000);
      expect(server.tries.length).toBeLessThan(50);
      await systemClock.sleep(3_600_000);
      expect(server.taken.toSorted()).toEqual(ids.toSorted());
      expect(messenger.lines).toHaveLength(1);
      await messenger.end();
    }));

  test.each(['401', '403', '404', '500', 'no answer: ECONNREFUSED'])(
    'that gets %s for ever keeps the others no longer than some seconds, and is not lost',
    (why) =>
      inFakeTime(async () => {
        let isMended = false;
        const server = serverOf((id) =>
          id === 'bad/0-started' && !isMended ? { result: 'failed', why, waitMs: 0 } : DELIVERED,
        );
        const messenger = startProcess('one', { deliver: server.deliver });
        const [first, ...rest] = await publishAll(messenger, 'bad');
        const good = await publishAll(messenger, 'good');
        await systemClock.sleep(10_000);
        expect(ofRollout('good', server.taken)).toEqual(good);
        await systemClock.sleep(60_000);
        expect(ofRollout('bad', server.taken)).toEqual(rest);
        await systemClock.sleep(3 * 3_600_000);
        expect(server.tries.length).toBeLessThan(50);
        isMended = true;
        await systemClock.sleep(2 * 3_600_000);
        expect(server.taken.at(-1)).toBe(first);
        expect(messenger.lines).toHaveLength(1);
        await messenger.end();
      }),
  );

  test('at a time is tried after a 403, whoever has one: no burst, and no rollout is tried twice before all were', () =>
    inFakeTime(async () => {
      const server = serverOf(() => FORBIDDEN);
      const messenger = startProcess('one', { deliver: server.deliver });
      const rollouts = Array.from({ length: 10 }, (_, index) => `r${index}`);
      for (const id of rollouts) {
        await publishAll(messenger, id);
        await systemClock.sleep(20);
      }
      await systemClock.sleep(600_000);
      const times = server.tries.map(({ at }) => at);
      const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
      expect(server.tries.slice(0, 10).map(({ eventId }) => eventId)).toEqual(
        rollouts.map((id) => `${id}/0-started`),
      );
      const tried = server.tries.length;
      for (let second = 0; second < 10; second += 0.01) {
        await messenger.publish(endOf(`burst-${second}`, 'Stalled'));
        await systemClock.sleep(10);
      }
      expect(server.tries.length - tried).toBeLessThanOrEqual(11);
      await messenger.end();
    }));

  test('that no server takes does not put off the end of a process', () =>
    inFakeTime(async () => {
      const server = serverOf((id) => (id === 'bad/0-started' ? FORBIDDEN : DELIVERED));
      const messenger = startProcess('one', { deliver: server.deliver });
      await publishAll(messenger, 'bad');
      await publishAll(messenger, 'good');
      await systemClock.sleep(600_000);
      await publishAll(messenger, 'last');
      const asked = Date.now();
      expect(await messenger.end()).toEqual([
        expect.stringContaining('1 message is not delivered (403)'),
      ]);
      expect(Date.now() - asked).toBeLessThan(10_000);
    }));
});

describe('the end of a process', () => {
  test('waits 30 s after the last event, says what is left without the path, and the next process delivers it in order', () =>
    inFakeTime(async () => {
      const down = serverOf(() => DOWN);
      const first = startProcess('one', { deliver: down.deliver });
      const ids = await publishAll(first);
      const asked = Date.now();
      const left = await first.end();
      expect(Date.now() - asked).toBe(30_000);
      expect(left).toEqual([expect.stringMatching(/hooks\.example\.com\): 7 messages .*\(500\)/)]);
      expect(left.join()).not.toContain('canary');

      const server = serverOf();
      const second = startProcess('two', { deliver: server.deliver });
      const more = await publishAll(second, 'two');
      expect(await second.end()).toEqual([]);
      expect(server.taken).toEqual([...ids, ...more]);
    }));

  test('with a server that never answers ends after the same time', () =>
    inFakeTime(async () => {
      const deliver: Deliver = (_, __, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(DOWN)));
      const messenger = startProcess('one', { deliver });
      await publishAll(messenger);
      const asked = Date.now();
      expect(await messenger.end()).toHaveLength(1);
      expect(Date.now() - asked).toBe(30_000);
    }));

  test('whose messages cannot be read says so, and does not fail', () =>
    inFakeTime(async () => {
      const outbox = openOutbox(join(folder, 'ledger.sqlite'));
      const fail = () => {
        throw new Error('the disk is full');
      };
      const messenger = createMessenger({
        webhooks: [HOOK],
        outbox: { ...outbox, take: fail, count: fail },
        deliver: serverOf().deliver,
        clock: systemClock,
      });
      await publishAll(messenger);
      expect(await messenger.end()).toEqual([
        'notifications.webhooks[0] (hooks.example.com): the disk is full.',
      ]);
    }));

  test('long after its last event does not wait', () =>
    inFakeTime(async () => {
      const messenger = startProcess('one', { deliver: serverOf(() => DOWN).deliver });
      await publishAll(messenger);
      await systemClock.sleep(60_000);
      const asked = Date.now();
      expect(await messenger.end()).toHaveLength(1);
      expect(Date.now() - asked).toBeLessThan(1_000);
    }));

  test('waits no longer than somebody wants', () =>
    inFakeTime(async () => {
      const messenger = startProcess('one', { deliver: serverOf(() => DOWN).deliver });
      await publishAll(messenger);
      const asked = Date.now();
      const impatient = new AbortController();
      void systemClock.sleep(5_000).then(() => impatient.abort());
      expect(await messenger.end(impatient.signal)).toHaveLength(1);
      expect(Date.now() - asked).toBe(5_000);
    }));
});

describe('two processes with one state directory', () => {
  test('deliver everything once, each rollout in the order in which it went, whoever sends', () =>
    inFakeTime(async () => {
      const server = serverOf((_, tries) => (tries % 4 === 0 ? DOWN : DELIVERED));
      const one = startProcess('one', { deliver: server.deliver });
      const two = startProcess('two', { deliver: server.deliver });
      const [ofOne, ofTwo] = [eventsOf('one'), eventsOf('two')];
      for (const [index, event] of ofOne.entries()) {
        await one.publish(event);
        await two.publish(ofTwo[index] as RolloutEvent);
        await systemClock.sleep(70);
      }
      const left = await Promise.all([one.end(), two.end()]);
      expect(left.flat()).toEqual([]);
      expect(server.taken).toHaveLength(ofOne.length + ofTwo.length);
      expect(ofRollout('one', server.taken)).toEqual(idsOf(ofOne));
      expect(ofRollout('two', server.taken)).toEqual(idsOf(ofTwo));
    }));

  test('that both hand over the same event send it once, also when it was delivered long ago', () =>
    inFakeTime(async () => {
      const server = serverOf();
      const one = startProcess('one', { deliver: server.deliver });
      const ids = await publishAll(one);
      await systemClock.sleep(24 * 3_600_000);
      const two = startProcess('two', { deliver: server.deliver });
      for (const id of ids) await two.publish(eventNamed(id, Date.now() - 24 * 3_600_000));
      await Promise.all([one.end(), two.end()]);
      expect(server.taken).toEqual(ids);
    }));

  test('wait for a process that is at work, and for none that is gone', () =>
    inFakeTime(async () => {
      const never: Deliver = () => new Promise(() => undefined);
      const killed = startProcess('killed', { deliver: never });
      const ids = await publishAll(killed);
      const server = serverOf();
      const patient = startProcess('two', { deliver: server.deliver });
      await systemClock.sleep(30_000);
      expect(server.taken).toEqual([]);
      const next = startProcess('three', { deliver: server.deliver, gone: ['killed'] });
      await systemClock.sleep(1_000);
      expect(server.taken).toEqual(ids);
      await Promise.all([patient.end(), next.end()]);
    }));
});

describe('what cannot be delivered', () => {
  test('is kept for seven days', () =>
    inFakeTime(async () => {
      const { deliver } = serverOf(() => DOWN);
      const publishDown = async (id: string) => {
        const process = startProcess(id, { deliver });
        const ids = await publishAll(process, id);
        await process.end();
        return ids;
      };
      const old = await publishDown('old');
      await systemClock.sleep(2 * 24 * 3_600_000);
      const newer = await publishDown('newer');
      await systemClock.sleep(5 * 24 * 3_600_000 + 1_000);

      const server = serverOf();
      const second = startProcess('two', { deliver: server.deliver });
      expect(second.lines).toEqual([]);
      // Nobody may add it once more either.
      await second.publish(eventNamed(old[0] ?? '', Date.now() - 7 * 24 * 3_600_000 - 1));
      const last = await publishAll(second, 'last');
      await second.end();
      expect(server.taken).toEqual([...newer, ...last]);
      expect(second.lines).toEqual([expect.stringContaining(`${old.length} messages`)]);
    }));

  test('is at most 1,000 messages of a webhook: the oldest ones are dropped, and it is told', () =>
    inFakeTime(async () => {
      const first = startProcess('one', { deliver: serverOf(() => DOWN).deliver });
      const ids = Array.from({ length: 1_003 }, (_, index) => `r-${index}/9-ended`);
      for (const id of ids) await first.publish(eventNamed(id, Date.now()));
      expect(await first.end()).toEqual([expect.stringContaining('1000 messages')]);
      expect(first.lines.filter((line) => line.includes('dropped'))).toHaveLength(3);

      const server = serverOf();
      const second = startProcess('two', { deliver: server.deliver });
      await systemClock.sleep(200_000);
      await second.end();
      expect(server.taken).toEqual(ids.slice(3));
    }));
});

function eventNamed(eventId: string, at: number): RolloutEvent {
  const [event] = eventsOf('any').slice(-1) as [RolloutEvent];
  return { ...event, eventId, at };
}
