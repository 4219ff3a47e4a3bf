import type { Instant } from '../../domain/clock.ts';

/** What is known of the messages that a webhook did not take, and when it is tried again. Times are milliseconds. */
export interface Retries {
  /** How long nothing may be sent: 0 while something may. */
  pauseMs(now: Instant): number;
  /** The message whose turn it is to be tried again. `undefined`: none may be tried by now. */
  due(now: Instant): string | undefined;
  /** How long until the next one may be tried again. `undefined`: there is none. */
  untilDueMs(now: Instant): number | undefined;
  /** Whether the last try of all was no delivery. */
  isDoubtful(): boolean;
  /** With which letters the ids of the messages begin that are not to be sent as new ones. */
  passedOver(): readonly string[];
  delivered(eventId: string): void;
  /** Nobody has this message to send any more. */
  forget(eventId: string): void;
  /** The server may take other messages. Answers whether this one is never tried again. */
  refused(eventId: string, now: Instant): 'later' | 'never';
  /** Nothing is sent for a while, nor before the server wants it. */
  failed(eventId: string, atLeastMs: number, now: Instant): void;
  /** There is something new to try, or little time left: pauses begin again with a second, if the server has named none. */
  hurry(): void;
  /** Whether nobody need wait for what is left: enough was tried, and the server may take other messages. */
  isHopeless(count: number): boolean;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** For a message that holds up no other one. */
const LONGEST_ASIDE_MS = 3_600_000;
/** After so many tries it is the message, if the server has taken another one meanwhile. */
const ENOUGH_TRIES = 5;

interface Trouble {
  tries: number;
  /** How many pauses there were since the last time that there was something new. */
  pauses: number;
  refusals: number;
  triedAt: Instant;
  dueAt: Instant;
  /** How many messages the server had taken before. */
  readonly deliveries: number;
  /** Later messages of its rollout no longer wait for it. */
  isAside: boolean;
}

/**
 * A message that is refused is put aside, and the others go on. Any other failure may be about the way, so one message
 * is tried at a time, with longer and longer pauses, each time of another rollout: if the server takes that one, the
 * fault is in the message, and no other rollout waits for it. The messages of its own rollout wait, because they are in
 * order, until it has failed often enough while the server took others.
 */
export function createRetries(): Retries {
  const troubles = new Map<string, Trouble>();
  const way = createWay();
  let deliveries = 0;

  function note(eventId: string, now: Instant): Trouble {
    const trouble = troubles.get(eventId) ?? {
      ...{ tries: 0, pauses: 0, refusals: 0, triedAt: now, dueAt: now, deliveries, isAside: false },
    };
    trouble.tries += 1;
    trouble.pauses += 1;
    trouble.triedAt = now;
    troubles.set(eventId, trouble);
    return trouble;
  }

  const hasTakenOthers = (trouble: Trouble) => deliveries > trouble.deliveries;

  return {
    pauseMs: way.pauseMs,
    due(now) {
      if (way.retryMs(now) > 0) return undefined;
      const [first] = [...troubles]
        .filter(([, { dueAt }]) => dueAt <= now)
        .sort(([, one], [, other]) => one.triedAt - other.triedAt);
      return first?.[0];
    },
    untilDueMs(now) {
      const times = [...troubles.values()].map(({ dueAt }) => dueAt);
      if (times.length === 0) return undefined;
      return Math.max(way.retryMs(now), Math.min(...times) - now);
    },
    isDoubtful: way.isDoubtful,
    passedOver: () =>
      [...troubles].map(([eventId, { isAside }]) => (isAside ? eventId : rolloutIn(eventId))),
    delivered(eventId) {
      troubles.delete(eventId);
      deliveries += 1;
      way.delivered();
    },
    forget: (eventId) => void troubles.delete(eventId),
    refused(eventId, now) {
      const trouble = note(eventId, now);
      way.refused(now);
      trouble.refusals += 1;
      if (trouble.refusals >= ENOUGH_TRIES && hasTakenOthers(trouble)) {
        troubles.delete(eventId);
        return 'never';
      }
      trouble.isAside = true;
      trouble.dueAt = now + pauseAfter(trouble.pauses, LONGEST_ASIDE_MS);
      return 'later';
    },
    failed(eventId, atLeastMs, now) {
      const trouble = note(eventId, now);
      way.failed(atLeastMs, now);
      trouble.isAside ||= trouble.tries >= ENOUGH_TRIES && hasTakenOthers(trouble);
      const longest = trouble.isAside ? LONGEST_ASIDE_MS : LONGEST_PAUSE_MS;
      trouble.dueAt = now + pauseAfter(trouble.pauses, longest);
    },
    hurry() {
      const soon = way.hurry();
      for (const trouble of troubles.values()) {
        if (trouble.isAside) continue;
        trouble.pauses = Math.min(trouble.pauses, 1);
        trouble.dueAt = Math.min(trouble.dueAt, soon);
      }
    },
    isHopeless: (count) =>
      count === troubles.size &&
      [...troubles.values()].every(({ isAside, tries }) => isAside && tries >= ENOUGH_TRIES),
  };
}

/** What the tries say of the way to the server, whatever the message. */
function createWay() {
  /** Since the last delivery. */
  let failures = 0;
  let isDown = false;
  let lastTryAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let retriesFrom = Number.NEGATIVE_INFINITY;
  let closedUntil = Number.NEGATIVE_INFINITY;

  function note(now: Instant): void {
    failures += 1;
    lastTryAt = now;
    retriesFrom = now + pauseAfter(failures, LONGEST_PAUSE_MS);
  }

  return {
    /** How long nothing may be sent. */
    pauseMs: (now: Instant) => Math.max(0, isDown ? pausedUntil - now : 0, closedUntil - now),
    /** How long only new messages may be sent. */
    retryMs: (now: Instant) => Math.max(0, retriesFrom - now),
    isDoubtful: () => failures > 0,
    delivered() {
      failures = 0;
      isDown = false;
      retriesFrom = Number.NEGATIVE_INFINITY;
    },
    refused(now: Instant) {
      note(now);
      isDown = false;
    },
    failed(atLeastMs: number, now: Instant) {
      note(now);
      isDown = true;
      pausedUntil = retriesFrom;
      closedUntil = now + Math.min(atLeastMs, LONGEST_PAUSE_MS);
    },
    /** Answers from when on everything may be tried. */
    hurry(): Instant {
      const soon = lastTryAt + FIRST_PAUSE_MS;
      failures = Math.min(failures, 1);
      pausedUntil = Math.min(pausedUntil, soon);
      retriesFrom = Math.min(retriesFrom, soon);
      return soon;
    },
  };
}

function pauseAfter(tries: number, longestMs: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), longestMs);
}

/** All ids of events of one rollout, or of one hold, begin with it. */
function rolloutIn(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf('/') + 1);
}
