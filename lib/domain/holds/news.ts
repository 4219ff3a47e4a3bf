import type { Instant } from '../clock.ts';
import { dateMinute } from '../local-time.ts';
import { describeEnd, describeScope, endOf, type Hold, isOver, MOST_HOLDS } from './hold.ts';

/** What is told of a hold, in this order. `hold-ending` reminds its owner, and each week `hold-standing`, of one without an end. */
export const HOLD_NEWS = ['hold-added', 'hold-ending', 'hold-standing', 'hold-lifted'] as const;
export type HoldNews = (typeof HOLD_NEWS)[number];

/** An event of a hold. It follows from the hold, so it is the same however often it is told, and cannot get lost. */
export interface HoldEvent {
  readonly kind: HoldNews;
  /** The ids of one hold sort in the order of its events. */
  readonly eventId: string;
  /** What its hold has in `told` from then on. */
  readonly notedAs: string;
  readonly at: Instant;
  readonly message: string;
  readonly hold: Hold;
}

/** So long before its end the owner of a hold is reminded, if it is longer than `LONG_MS`. */
const NOTICE_MS = 3_600_000;
const LONG_MS = 2 * NOTICE_MS;

/** What nobody could be told for so long is not news any more. */
const NEWS_MS = 7 * 24 * 3_600_000;

/** So often the owner of a hold without an end is reminded. */
const REMINDED_MS = NEWS_MS;

export function untoldOf(hold: Hold, now: Instant): readonly HoldEvent[] {
  return HOLD_NEWS.flatMap((kind) => {
    const at = happenedAt(kind, hold, now);
    if (at === null || now >= at + NEWS_MS) return [];
    const notedAs = noteOf(kind, hold, at);
    if (hold.told?.some((one) => one === notedAs || isLaterReminder(one, notedAs))) return [];
    // Holds of two kinds may have one id.
    const eventId = `hold/${hold.id}/${hold.kind}/${HOLD_NEWS.indexOf(kind) + 1}-${notedAs}`;
    return [{ kind, eventId, notedAs, at, message: SENTENCES[kind](hold), hold }];
  });
}

/** What is noted of a hold once this was told: a reminder that comes again has the number of its week. */
function noteOf(kind: HoldNews, hold: Hold, at: Instant): string {
  if (kind !== STANDING) return kind;
  const week = Math.round((at - hold.at) / REMINDED_MS);
  return `${STANDING}-${String(week).padStart(4, '0')}`;
}

const STANDING = 'hold-standing' satisfies HoldNews;

/** A machine whose clock is ahead has told that already, so that for this one the week before is not news. */
function isLaterReminder(told: string, notedAs: string): boolean {
  return notedAs.startsWith(STANDING) && told.startsWith(STANDING) && told > notedAs;
}

/** What was told of a hold, with these notes. Of the reminders only the last one is kept, so this does not grow. */
export function toldAfter(
  told: readonly string[] = [],
  notes: readonly string[],
): readonly string[] {
  const all = [...new Set([...told, ...notes])];
  const reminders = all.filter((one) => one.startsWith(STANDING)).toSorted();
  return [...all.filter((one) => !reminders.includes(one)), ...reminders.slice(-1)];
}

/** When people are shown a hold no more: at its end, and one that had none a week after it was lifted. */
export function shownUntil({ until, lifted }: Pick<Hold, 'until' | 'lifted'>): Instant {
  return until ?? (lifted === undefined ? endOf({ until }) : lifted.at + NEWS_MS);
}

/** Those that are over, and are kept: people see for a while who has lifted a hold, and what is untold has to be told. */
export function pastHolds(holds: readonly Hold[], now: Instant): readonly Hold[] {
  return holds
    .filter((one) => isOver(one, now) && (now < shownUntil(one) || untoldOf(one, now).length > 0))
    .slice(-MOST_HOLDS);
}

/** `null`: it has not happened. */
function happenedAt(kind: HoldNews, hold: Hold, now: Instant): Instant | null {
  const { at, until, lifted, after } = hold;
  switch (kind) {
    case 'hold-added':
      return at;
    case 'hold-ending': {
      if (until === null) return null;
      // Nobody is there to be reminded of what nobody has added.
      const isLong = until - at > LONG_MS && after === undefined && !lifted;
      return isLong && now >= until - NOTICE_MS && now < until ? until - NOTICE_MS : null;
    }
    case 'hold-standing': {
      const weeks = Math.floor((now - at) / REMINDED_MS);
      const isReminded = until === null && !lifted && weeks > 0;
      return isReminded ? at + weeks * REMINDED_MS : null;
    }
    case 'hold-lifted':
      return lifted?.at ?? null;
    default:
      return kind satisfies never;
  }
}

const SENTENCES: Readonly<Record<HoldNews, (hold: Hold) => string>> = {
  'hold-added': ({ id, kind, scope, by, until, reason }) =>
    `Added the ${kind} ${id} of ${describeScope(scope)} ${describeEnd({ until }, dateMinute)}, from ${by}: ${reason}`,
  'hold-ending': ({ id, kind, scope, by, until, reason }) =>
    `${by}: your ${kind} ${id} of ${describeScope(scope)} ends at ${dateMinute(until ?? 0)}: ${reason}`,
  'hold-standing': ({ id, kind, scope, by, at, reason }) =>
    `${by}: your ${kind} ${id} of ${describeScope(scope)}, from ${dateMinute(at)}, stays until it is lifted: ${reason}`,
  'hold-lifted': ({ id, kind, scope, by, lifted }) =>
    `Lifted the ${kind} of ${describeScope(scope)} (${id}, from ${by}), by ${lifted?.by}: ${lifted?.reason}`,
};
