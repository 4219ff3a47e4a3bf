import type { Webhook } from '../../contract/config/webhooks.ts';
import { toLifecycleEvent } from '../../contract/event.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { TOLD_EVENTS, TOLD_TO_PEOPLE, toldEventOf } from '../../domain/events/told-events.ts';
import { countOf } from '../../domain/sentences.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import { toBusText } from '../../telling/messages/webhook-message.ts';
import { KEPT_DAYS, MOST_MESSAGES } from './outbox.ts';
import { createSender, type SenderOptions } from './sender.ts';

/** Brings events to webhooks, beside the rollouts. */
export interface Messenger extends OpenBus {
  /**
   * Waits until everything is delivered, except what a server has not taken in several tries while it may take others,
   * but at most until 30 s after the last event of this process, or until the signal aborts. Then nothing is sent any
   * more. Answers what is left, in a sentence for each webhook.
   */
  end(signal?: AbortSignal): Promise<readonly string[]>;
}

interface MessengerOptions extends SenderOptions {
  readonly webhooks: readonly Webhook[];
}

/** How long the end of a process is put off. */
const LAST_WAIT_MS = 30_000;
/** Milliseconds between two looks for messages that a process has left which is gone. */
const LOOK_MS = 10_000;
/** Each webhook gets one message at a time, and does not wait for the other ones. */
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

function createLine(webhook: Webhook, index: number, options: MessengerOptions): Line {
  const { clock } = options;
  const { format, events: wanted = format === 'json' ? TOLD_EVENTS : TOLD_TO_PEOPLE } = webhook;
  const over = new AbortController();
  const sender = createSender(webhook, index, options, over.signal);
  let isFinishing = false;
  let isHurried = false;
  let nap = new AbortController();

  function isFinished(waitMs: number | null): boolean {
    if (!isFinishing || waitMs === 0) return false;
    return waitMs === null || sender.isHopeless();
  }

  async function work(): Promise<void> {
    while (!over.signal.aborted) {
      isHurried = false;
      const waitMs = await sender.step();
      // What came during a try that has failed.
      if (isHurried) sender.hurry();
      else if (isFinished(waitMs)) return;
      if (isHurried || waitMs === 0 || over.signal.aborted) continue;
      nap = new AbortController();
      await clock.sleep(Math.min(waitMs ?? LOOK_MS, LOOK_MS), nap.signal).catch(() => undefined);
    }
  }

  function hurry(): void {
    isHurried = true;
    sender.hurry();
    nap.abort();
  }
  const working = work();

  return {
    key: sender.key,
    wants: (event) => wanted.includes(toldEventOf(event)),
    wake: hurry,
    finish() {
      isFinishing = true;
      hurry();
      return working;
    },
    async leave() {
      over.abort();
      nap.abort();
      await working;
      return sender.leave();
    },
  };
}
