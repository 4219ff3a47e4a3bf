import { dateTime } from '../local-time.ts';
import { asSentence } from '../sentences.ts';
import type { Stored } from '../stored.ts';
import type { waiting } from './stored.ts';

/** What a rollout that has not begun waits for: `MEANINGS` in `lib/contract/output/listed.ts` says it of each. */
export const WAITS = ['start', 'window', 'hold', 'turn', 'gate', 'version', 'list'] as const;
export type Wait = (typeof WAITS)[number];

export interface Waiting extends Stored<typeof waiting> {}

/** Says for people why a rollout has not begun, and until when it waits. */
export function describeWaiting({ for: wait, message, wakesAt, until }: Waiting): string {
  // The sentence about a window or a hold already says until when.
  if (wait === 'window' || wait === 'hold' || wait === 'start') return message;
  const limit = until === null ? '' : `, and waits until ${dateTime(until)} at most`;
  return `${asSentence(message)} It looks again at ${dateTime(wakesAt)}${limit}.`;
}

type Waited = Waiting['waited'];

const NOTHING: Waited = { turn: 0, version: 0, list: 0 };

export function acceptedAt(now: number): Waiting {
  return {
    for: 'start',
    message: 'It was accepted and has not begun yet.',
    since: now,
    wakesAt: now,
    until: null,
    waited: NOTHING,
  };
}

/**
 * What a rollout has waited by now. A wait for its turn or a gate counts if it has an end: nobody waits behind a newer
 * rollout for too long. We count the wait that was planned and not the time on the clock, because time in
 * which its process was gone is not a wait. Once a list was read, the wait for a list begins anew.
 */
export function waitedBy(waiting: Waiting | null, now: number): Waited {
  if (waiting === null) return NOTHING;
  const { waited, since, wakesAt } = waiting;
  const seconds = Math.max(0, Math.min(now, wakesAt) - since) / 1000;
  const isForTurn = waiting.for === 'turn' || waiting.for === 'gate';
  return {
    turn: waited.turn + (isForTurn && waiting.until !== null ? seconds : 0),
    version: waited.version + (waiting.for === 'version' ? seconds : 0),
    list: waiting.for === 'list' ? waited.list + seconds : 0,
  };
}

/** What a rollout waits for as long as its version is not known. Any other wait comes after that. */
const UNSETTLED: readonly Wait[] = ['start', 'version', 'list'];

/** Whether the version that it goes to was looked up before it waited. */
export function isSettled(waiting: Waiting | null): boolean {
  return waiting !== null && !UNSETTLED.includes(waiting.for);
}

/** A rollout that wakes up may need a few tries before it is opened. */
const WAKING_MS = 5 * 60_000;

/** Whether somebody still looks after a rollout that wakes at this time. */
export function isAwaited(wakesAt: number, now: number): boolean {
  return now <= wakesAt + WAKING_MS;
}

/**
 * Whether a rollout is too old to begin, because nobody looked after it: perhaps nobody wants it any more. A rollout
 * that waited for its turn is never too old. The rollout ahead of it may have given way to it, and without it the
 * runtime would be left between two versions.
 */
export function isExpired(waiting: Waiting, maxAgeSeconds: number, now: number): boolean {
  return waiting.for !== 'turn' && now > waiting.wakesAt + maxAgeSeconds * 1000;
}
