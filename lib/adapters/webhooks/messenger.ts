import { createHash } from 'node:crypto';
import type { Webhook } from '../../contract/config/webhooks.ts';
import { toLifecycleEvent } from '../../contract/output/event.ts';
import { toBusText } from '../../contract/output/webhook-message.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { toldEventOf } from '../../domain/events/told-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { Deliver } from './deliver.ts';
import { KEPT_DAYS, MOST_MESSAGES, type Outbox } from './outbox.ts';

/** Brings events to webhooks, beside the rollouts. */
export interface Messenger extends OpenBus {
  /**
   * Waits until everything is delivered, but at most until 30 s after the last event of this process, or until the signal
   * aborts. Then nothing is sent any more. Answers what is left, in a sentence for each webhook.
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
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After so many refusals a message is given up, so that it does not hold up all that come after it. */
const MOST_REFUSALS = 5;

/** Each webhook gets its messages one after the other, the next one when the one before is delivered. */
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
        const { isNew, dropped } = outbox.put(keys, message, now);
        if (dropped > 0)
          log?.(`${dropped} of the oldest messages to webhooks are dropped: ${MANY}`);
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
  let trouble = '';
  let failures = 0;
  let refusals = 0;
  let isFinishing = false;
  let isOver = false;
  let mayWake = true;
  let nap = new AbortController();
  const giveUp = new AbortController();

  const tell = (why: string, follows: string) => {
    if (why !== trouble) log?.(`${name}: ${why}. ${follows}`);
    trouble = why;
  };

  /** Sends the first message, if it is time. Answers how many milliseconds to wait. `null`: nothing is left. */
  async function step(): Promise<number | null> {
    const message = outbox.take(key, clock.now());
    if (message === null) return null;
    if (message === 'held') return HELD_MS;
    const delivery = await deliver(webhook, message, giveUp.signal);
    if (isOver) return 0;
    if (delivery.result === 'delivered') {
      outbox.settle(key, message.eventId);
      failures = 0;
      refusals = 0;
      trouble = '';
      return 0;
    }
    refusals += delivery.result === 'refused' ? 1 : 0;
    if (refusals === MOST_REFUSALS) {
      outbox.settle(key, message.eventId);
      failures = 0;
      refusals = 0;
      log?.(`${name} has refused ${message.eventId} with ${delivery.why}, and does not get it.`);
      return 0;
    }
    tell(delivery.why, 'It is tried again.');
    return pause(delivery.result === 'failed' ? delivery.waitMs : 0);
  }

  function pause(atLeastMs: number): number {
    failures += 1;
    mayWake = atLeastMs === 0;
    const own = FIRST_PAUSE_MS * 2 ** (failures - 1);
    return Math.min(Math.max(own, atLeastMs), LONGEST_PAUSE_MS);
  }

  async function attempt(): Promise<number | null> {
    mayWake = true;
    try {
      const waitMs = await step();
      if (waitMs === null) outbox.release(key);
      return waitMs;
    } catch (error) {
      tell(errorMessageOf(error), 'It is tried again.');
      return pause(0);
    }
  }

  async function work(): Promise<void> {
    while (!isOver) {
      const waitMs = await attempt();
      if (waitMs === null && isFinishing) return;
      if (waitMs === 0 || isOver) continue;
      nap = new AbortController();
      await clock.sleep(waitMs ?? LOOK_MS, nap.signal).catch(() => undefined);
    }
  }
  const working = work();

  return {
    key,
    wants: (event) => webhook.events?.includes(toldEventOf(event)) ?? true,
    wake() {
      if (!mayWake) return;
      failures = 0;
      nap.abort();
    },
    finish() {
      isFinishing = true;
      if (mayWake) nap.abort();
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
