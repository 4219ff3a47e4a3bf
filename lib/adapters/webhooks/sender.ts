import { createHash } from 'node:crypto';
import type { Webhook } from '../../contract/config/webhooks.ts';
import type { Instant } from '../../domain/clock.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Deliver, Delivery } from './deliver.ts';
import { KEPT_DAYS, type Message, type Outbox } from './outbox.ts';
import { createRetries, type Retries } from './retries.ts';

export interface SenderOptions {
  readonly outbox: Outbox;
  readonly deliver: Deliver;
  readonly clock: Clock;
  /** Gets a line when a webhook cannot be reached, and when a message is given up. @default - nobody is told */
  readonly log?: ((line: string) => void) | undefined;
}

/** Sends the messages of one webhook, one at a time. Which is next: `createRetries`. */
interface Sender {
  /** By what the outbox knows the webhook. */
  readonly key: string;
  /** Sends a message, if it is time. Answers how many milliseconds to wait. `null`: nothing is left. */
  step(): Promise<number | null>;
  /** There is something new to send, or little time left. */
  hurry(): void;
  /** Whether nobody need wait for what is left. */
  isHopeless(): boolean;
  /** Lets other processes send, and says what is left. */
  leave(): string | null;
}

/** Milliseconds between two looks for what another process is about to send. */
const HELD_MS = 500;
/** Milliseconds after the storage of the messages has failed. */
const STORAGE_PAUSE_MS = 5_000;

/** @param signal Ends a try that is under way, whose result no longer counts. */
export function createSender(
  webhook: Webhook,
  index: number,
  { outbox, deliver, clock, log }: SenderOptions,
  signal: AbortSignal,
): Sender {
  const key = keyOf(webhook);
  const name = nameOf(webhook, index);
  const retries = createRetries();
  const reasons = createReasons((why) => log?.(`${name}: ${why}. It is tried again.`));

  function settle(eventId: string): void {
    outbox.settle(key, eventId);
    if (retries.untilDueMs(clock.now()) === undefined) reasons.clear();
  }

  async function send(): Promise<number | null> {
    const pauseMs = retries.pauseMs(clock.now());
    if (pauseMs > 0) return pauseMs;
    const message = takeNext(key, outbox, retries, clock.now());
    if (message === 'held') return HELD_MS;
    if (message === null) {
      outbox.release(key);
      return retries.untilDueMs(clock.now()) ?? null;
    }
    const delivery = await deliver(webhook, message, signal);
    if (!signal.aborted) note(message.eventId, delivery);
    return 0;
  }

  function note(eventId: string, delivery: Delivery): void {
    if (delivery.result === 'delivered') {
      retries.delivered(eventId);
      settle(eventId);
    } else if (delivery.result === 'failed') {
      reasons.tell(delivery.why);
      retries.failed(eventId, delivery.waitMs, clock.now());
    } else if (retries.refused(eventId, clock.now()) === 'never') {
      settle(eventId);
      log?.(`${name} has refused ${eventId} with ${delivery.why}, and does not get it.`);
    } else {
      reasons.tell(delivery.why);
    }
  }

  return {
    key,
    step: () =>
      send().catch((error: unknown) => {
        reasons.tell(errorMessageOf(error));
        return STORAGE_PAUSE_MS;
      }),
    hurry: retries.hurry,
    isHopeless() {
      try {
        return retries.isHopeless(outbox.count(key, clock.now()));
      } catch {
        // The next try may find the storage again.
        return false;
      }
    },
    leave() {
      try {
        outbox.release(key);
        const count = outbox.count(key, clock.now());
        return count === 0 ? null : describeLeft(name, count, reasons.last());
      } catch (error) {
        return `${name}: ${errorMessageOf(error)}.`;
      }
    },
  };
}

/** What is sent next. After a failure the messages of other rollouts come first. */
function takeNext(
  key: string,
  outbox: Outbox,
  retries: Retries,
  now: Instant,
): Message | 'held' | null {
  const takeNew = () => outbox.take(key, { passedOver: retries.passedOver() }, now);
  const takeDue = () => {
    const eventId = retries.due(now);
    if (eventId === undefined) return null;
    const message = outbox.take(key, { eventId }, now);
    if (message === null) retries.forget(eventId);
    return message;
  };
  return retries.isDoubtful() ? (takeNew() ?? takeDue()) : (takeDue() ?? takeNew());
}

/** Why messages were not taken, while there are any: each reason is told once. */
function createReasons(tellFirst: (why: string) => void) {
  const told = new Set<string>();
  let last = '';
  return {
    tell(why: string) {
      if (!told.has(why)) tellFirst(why);
      told.add(why);
      last = why;
    },
    clear() {
      told.clear();
      last = '';
    },
    last: () => last,
  };
}

function describeLeft(name: string, count: number, trouble: string): string {
  const what = count === 1 ? '1 message is' : `${count} messages are`;
  const why = trouble === '' ? '' : ` (${trouble})`;
  return `${name}: ${what} not delivered${why}. The next rollout, listener or console with this webhook delivers what is less than ${KEPT_DAYS} days old.`;
}

/** A webhook stays the same one when the URL in its secret is replaced. The file has no URL, which may be a secret. */
function keyOf({ url }: Pick<Webhook, 'url'>): string {
  return createHash('sha256').update(JSON.stringify(url)).digest('hex');
}

/** Of a URL only the host is shown: of those of Slack and Teams the rest is the secret. */
function nameOf({ url }: Pick<Webhook, 'url'>, index: number): string {
  const place = `notifications.webhooks[${index}]`;
  return typeof url === 'string' ? `${place} (${new URL(url).host})` : place;
}
