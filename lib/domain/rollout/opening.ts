import type { Instant } from '../clock.ts';
import { dateTime } from '../local-time.ts';
import { asSentence } from '../sentences.ts';
import type { LogLine } from './record.ts';
import { type Opening, WAITS, type Wait } from './wait.ts';

/** A rollout that has not begun: what it waits for, and what it has waited. */
export interface NotBegun {
  readonly wait: Wait | null;
  /** `null`: it has begun, or has ended. */
  readonly opening: Opening | null;
}

/** Says for people why a rollout has not begun, and until when it waits. */
export function describeWait({ for: kind, of, lookAt, until }: Wait): string {
  const sentence = asSentence(of ?? WAITS[kind].says);
  // The sentence about a window or a hold already says until when.
  if (kind === 'window' || kind === 'hold' || kind === 'start') return sentence;
  const limit = until === null ? '' : `, and waits until ${dateTime(until)} at most`;
  return `${sentence} It looks again at ${dateTime(lookAt)}${limit}.`;
}

/** What the log gets of a wait that has just begun. */
export function linesOfWait({ wait, opening }: NotBegun): readonly LogLine[] {
  if (wait === null || wait.since !== opening?.lookedAt) return [];
  const { since: at, for: kind, of, until } = wait;
  return [{ kind: 'waits', at, for: kind, of, until }];
}

type Waited = Opening['waited'];

const NOTHING: Waited = { turn: 0, version: 0, list: 0 };

export function acceptedAt(now: Instant): NotBegun {
  return {
    wait: {
      for: 'start',
      of: 'It was accepted and has not begun yet.',
      ...{ wave: null, since: now, until: null, lookAt: now },
    },
    opening: { lookedAt: now, waited: NOTHING },
  };
}

/**
 * What a rollout has waited by now. A wait for its turn or a gate counts if it has an end: nobody waits behind a newer
 * rollout for too long. We count the wait that was planned and not the time on the clock, because time in
 * which its process was gone is not a wait. Once a list was read, the wait for a list begins anew.
 */
export function waitedBy({ wait, opening }: NotBegun, now: Instant): Waited {
  if (wait === null || opening === null) return NOTHING;
  const { waited, lookedAt } = opening;
  const seconds = Math.max(0, Math.min(now, wait.lookAt) - lookedAt) / 1000;
  const isForTurn = wait.for === 'turn' || wait.for === 'gate';
  return {
    turn: waited.turn + (isForTurn && wait.until !== null ? seconds : 0),
    version: waited.version + (wait.for === 'version' ? seconds : 0),
    list: wait.for === 'list' ? waited.list + seconds : 0,
  };
}

/** Whether the version that it goes to was looked up before it waited. */
export function isSettled({ wait, opening }: NotBegun): boolean {
  return opening !== null && wait !== null && WAITS[wait.for].isSettled;
}

/** A rollout that wakes up may need a few tries before it is opened. */
const WAKING_MS = 5 * 60_000;

/** Whether somebody still looks after a rollout that wakes at this time. */
export function isAwaited(wakesAt: Instant, now: Instant): boolean {
  return now <= wakesAt + WAKING_MS;
}

/**
 * Whether a rollout is too old to begin, because nobody looked after it: perhaps nobody wants it any more. A rollout
 * that waited for its turn is never too old. The rollout ahead of it may have given way to it, and without it the
 * runtime would be left between two versions.
 */
export function isExpired(wait: Wait, maxAgeSeconds: number, now: Instant): boolean {
  return wait.for !== 'turn' && now > wait.lookAt + maxAgeSeconds * 1000;
}
