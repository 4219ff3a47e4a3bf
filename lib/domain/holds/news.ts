import type { Instant } from '../clock.ts';
import { dateMinute } from '../local-time.ts';
import { describeScope, type Hold, isOver, MOST_HOLDS } from './hold.ts';

/** What is told of a hold, in this order. `hold-ending` reminds its owner. */
export const HOLD_NEWS = ['hold-added', 'hold-ending', 'hold-lifted'] as const;
export type HoldNews = (typeof HOLD_NEWS)[number];

/** An event of a hold. It follows from the hold, so it is the same however often it is told, and cannot get lost. */
export interface HoldEvent {
  readonly kind: HoldNews;
  /** The ids of one hold sort in the order of its events. */
  readonly eventId: string;
  readonly at: Instant;
  readonly message: string;
  readonly hold: Hold;
}

/** So long before its end the owner of a hold is reminded, if it is longer than `LONG_MS`. */
const NOTICE_MS = 3_600_000;
const LONG_MS = 2 * NOTICE_MS;

/** What nobody could be told for so long is not news any more. */
const NEWS_MS = 7 * 24 * 3_600_000;

export function untoldOf(hold: Hold, now: Instant): readonly HoldEvent[] {
  return HOLD_NEWS.flatMap((kind) => {
    const at = happenedAt(kind, hold, now);
    if (at === null || hold.told?.includes(kind) || now >= at + NEWS_MS) return [];
    // Holds of two kinds may have one id.
    const eventId = `hold/${hold.id}/${hold.kind}/${HOLD_NEWS.indexOf(kind) + 1}-${kind}`;
    return [{ kind, eventId, at, message: SENTENCES[kind](hold), hold }];
  });
}

/** Those that are over, and are kept: people see until its end who has lifted a hold, and what is untold has to be told. */
export function pastHolds(holds: readonly Hold[], now: Instant): readonly Hold[] {
  return holds
    .filter((one) => isOver(one, now) && (now < one.until || untoldOf(one, now).length > 0))
    .slice(-MOST_HOLDS);
}

/** `null`: it has not happened. */
function happenedAt(kind: HoldNews, hold: Hold, now: Instant): Instant | null {
  const { at, until, lifted, after } = hold;
  switch (kind) {
    case 'hold-added':
      return at;
    case 'hold-ending': {
      // Nobody is there to be reminded of what nobody has added.
      const isLong = until - at > LONG_MS && after === undefined && !lifted;
      return isLong && now >= until - NOTICE_MS && now < until ? until - NOTICE_MS : null;
    }
    case 'hold-lifted':
      return lifted?.at ?? null;
    default:
      return kind satisfies never;
  }
}

const SENTENCES: Readonly<Record<HoldNews, (hold: Hold) => string>> = {
  'hold-added': ({ id, kind, scope, by, until, reason }) =>
    `Added the ${kind} ${id} of ${describeScope(scope)} until ${dateMinute(until)}, from ${by}: ${reason}`,
  'hold-ending': ({ id, kind, scope, by, until, reason }) =>
    `${by}: your ${kind} ${id} of ${describeScope(scope)} ends at ${dateMinute(until)}: ${reason}`,
  'hold-lifted': ({ id, kind, scope, by, lifted }) =>
    `Lifted the ${kind} of ${describeScope(scope)} (${id}, from ${by}), by ${lifted?.by}: ${lifted?.reason}`,
};
