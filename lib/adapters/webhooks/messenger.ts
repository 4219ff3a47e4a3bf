import { createHash } from 'node:crypto';
import type { Webhook } from '../../contract/config/webhooks.ts';
import { toLifecycleEvent } from '../../contract/event.ts';
import type { Instant } from '../../domain/clock.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { TOLD_EVENTS, TOLD_TO_PEOPLE, toldEventOf } from '../../domain/events/told-events.ts';
import { countOf } from '../../domain/sentences.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import { toBusText } from '../../telling/messages/webhook-message.ts';
import type { Deliver, Delivery } from './deliver.ts';
import { KEPT_DAYS, type Message, MOST_MESSAGES, type Outbox } from './outbox.ts';
import { createRetries } from './retries.ts';

/** Brings events to webhooks, beside the rollouts. */
export interface Messenger extends OpenBus {
  /**
   * Waits until everything is delivered, except what a server has not taken in several tries while it may take others,
   * but at most until 30 s after the last event of this process, or until the signal aborts. Then nothing is sent any
   * more. Answers what is left, in a sentence for each webhook.
   */
  end(signal?: AbortSignal): Promise<readonly string[]>;
}

interface MessengerOptions {
  readonly webhooks: readonly Webhook[];
  readonly outbox: Outbox;
  readonly deliver: Deliver;
  readonly clock: Clock;
  /** Gets a line when a webhook cannot be reached, and when a message is given up. @default - nobody is told */
  readonly log?: ((line: string) => void) | undefined;
}

/** How long the end of a process is put off. */
const LAST_WAIT_MS = 30_000;
/** Milliseconds between two looks for messages that a process has left which is gone. */
const LOOK_MS = 10_000;
/** Milliseconds between two looks for what another process is about to send. */
const HELD_MS = 500;
/** Milliseconds after the storage of the messages has failed. */
const STORAGE_PAUSE_MS = 5_000;

/** Each webhook gets one message at a time, and does not wait for the other ones. Which is next: `createRetries`. */
export function createMessenger(options: MessengerOptions): Messenger {
  const { webhooks, outbox, clock, log } = options;
  const lines = webhooks.map((webhook, index) => createLine(webhook, index, options));
  let lastEventAt = Number.NEGATIVE_INFINITY;
  return {
    async publish(event) {
      const wanted = lines.filter(({ wants }) => wants(event));
      if (wanted.length === 0) return;
      const { eventId, at } = event;
      const message = { eventId, at, text: toBusText(toLifecycleEvent(event)) };
      const keys = wanted.map(({ key }) => key);
      try {
        const now = clock.now();
        const { isNew, dropped, expired } = outbox.put(keys, message, now);
        if (dropped > 0)
          log?.(`${dropped} of the oldest messages to webhooks are dropped: ${MANY}`);
        if (expired > 0)
          log?.(
            `${countOf(expired, 'message')} to webhooks not taken in ${KEPT_DAYS} days: dropped.`,
          );
        if (!isNew) return;
        lastEventAt = now;
      } catch (cause) {
        const why = `The messages to webhooks cannot be stored: ${errorMessageOf(cause)}`;
        throw new SteprollError(ErrorName.EventsUnavailable, why, { cause });
      }
      for (const { wake } of wanted) wake();
    },
    async end(signal) {
      const stop = new AbortController();
      const onAbort = () => stop.abort();
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) stop.abort();
      const waiting = clock
        .sleep(Math.max(0, lastEventAt + LAST_WAIT_MS - clock.now()), stop.signal)
        .catch(() => undefined);
      await Promise.race([Promise.all(lines.map(({ finish }) => finish())), waiting]);
      stop.abort();
      signal?.removeEventListener('abort', onAbort);
      const left = await Promise.all(lines.map(({ leave }) => leave()));
      outbox.close();
      return left.filter((sentence) => sentence !== null);
    },
  };
}

const MANY = `a webhook has at most ${MOST_MESSAGES}`;

interface Line {
  readonly key: string;
  wants(event: Parameters<OpenBus['publish']>[0]): boolean;
  /** There is something new to send. */
  wake(): void;
  /** Resolves once nothing is left to send. */
  finish(): Promise<void>;
  /** Ends at once, and says what is left. */
  leave(): Promise<string | null>;
}

function createLine(
  webhook: Webhook,
  index: number,
  { outbox, deliver, clock, log }: MessengerOptions,
): Line {
  const key = keyOf(webhook);
  const name = nameOf(webhook, index);
  const { format, events: wanted = format === 'json' ? TOLD_EVENTS : TOLD_TO_PEOPLE } = webhook;
  const retries = createRetries();
  /** Why messages were not taken, while there are any: each reason is told once. */
  const told = new Set<string>();
  let trouble = '';
  let isFinishing = false;
  let isHurried = false;
  let isOver = false;
  let nap = new AbortController();
  const giveUp = new AbortController();

  const tell = (why: string) => {
    if (!told.has(why)) log?.(`${name}: ${why}. It is tried again.`);
    told.add(why);
    trouble = why;
  };

  function settle(eventId: string): void {
    outbox.settle(key, eventId);
    if (retries.untilDueMs(clock.now()) !== undefined) return;
    told.clear();
    trouble = '';
  }

  /** What is sent next. After a failure the messages of other rollouts come first. */
  function take(): Message | 'held' | null {
    const now = clock.now();
    const takeNew = () => outbox.take(key, { passedOver: retries.passedOver() }, now);
    return retries.isDoubtful() ? (takeNew() ?? takeDue(now)) : (takeDue(now) ?? takeNew());
  }

  function takeDue(now: Instant): Message | 'held' | null {
    const eventId = retries.due(now);
    if (eventId === undefined) return null;
    const message = outbox.take(key, { eventId }, now);
    if (message === null) retries.forget(eventId);
    return message;
  }

  /** Sends a message, if it is time. Answers how many milliseconds to wait. `null`: nothing is left. */
  async function step(): Promise<number | null> {
    const pauseMs = retries.pauseMs(clock.now());
    if (pauseMs > 0) return pauseMs;
    const message = take();
    if (message === 'held') return HELD_MS;
    if (message === null) {
      outbox.release(key);
      return retries.untilDueMs(clock.now()) ?? null;
    }
    const { eventId } = message;
    const delivery = await deliver(webhook, message, giveUp.signal);
    if (!isOver) note(eventId, delivery);
    return 0;
  }

  function note(eventId: string, delivery: Delivery): void {
    if (delivery.result === 'delivered') {
      retries.delivered(eventId);
      settle(eventId);
    } else if (delivery.result === 'failed') {
      tell(delivery.why);
      retries.failed(eventId, delivery.waitMs, clock.now());
    } else if (retries.refused(eventId, clock.now()) === 'never') {
      settle(eventId);
      log?.(`${name} has refused ${eventId} with ${delivery.why}, and does not get it.`);
    } else {
      tell(delivery.why);
    }
  }

  async function attempt(): Promise<number | null> {
    try {
      return await step();
    } catch (error) {
      tell(errorMessageOf(error));
      return STORAGE_PAUSE_MS;
    }
  }

  function isFinished(waitMs: number | null): boolean {
    if (!isFinishing || waitMs === 0) return false;
    return waitMs === null || retries.isHopeless(outbox.count(key, clock.now()));
  }

  async function work(): Promise<void> {
    while (!isOver) {
      isHurried = false;
      const waitMs = await attempt();
      // What came during a try that has failed.
      if (isHurried) retries.hurry();
      else if (isFinished(waitMs)) return;
      if (isHurried || waitMs === 0 || isOver) continue;
      nap = new AbortController();
      await clock.sleep(Math.min(waitMs ?? LOOK_MS, LOOK_MS), nap.signal).catch(() => undefined);
    }
  }

  function hurry(): void {
    isHurried = true;
    retries.hurry();
    nap.abort();
  }
  const working = work();

  return {
    key,
    wants: (event) => wanted.includes(toldEventOf(event)),
    wake: hurry,
    finish() {
      isFinishing = true;
      hurry();
      return working;
    },
    async leave() {
      isOver = true;
      giveUp.abort();
      nap.abort();
      await working;
      try {
        outbox.release(key);
        const count = outbox.count(key, clock.now());
        return count === 0 ? null : describeLeft(name, count, trouble);
      } catch (error) {
        return `${name}: ${errorMessageOf(error)}.`;
      }
    },
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
export function nameOf({ url }: Pick<Webhook, 'url'>, index: number): string {
  const place = `notifications.webhooks[${index}]`;
  return typeof url === 'string' ? `${place} (${new URL(url).host})` : place;
}
