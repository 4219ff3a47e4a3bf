/**
 * What a rollout that has not begun waits for.
 * - `start`: it was accepted, and nobody has looked at it yet.
 * - `window`: for a deployment window to open, or a freeze to end.
 * - `turn`: for another rollout of its runtime.
 * - `list`: for the service to answer with a list that a plan can be made of.
 */
export const WAITS = ['start', 'window', 'turn', 'list'] as const;
export type Wait = (typeof WAITS)[number];

/** Times are milliseconds since the Unix epoch. */
export interface Waiting {
  readonly for: Wait;
  /** Why, in a sentence for people. */
  readonly message: string;
  /** When it was looked at last. */
  readonly since: number;
  /** When it is looked at again. */
  readonly wakesAt: number;
  /** When it begins, or has waited for too long; `null`: nobody can say. */
  readonly until: number | null;
  /** What it has waited before, in seconds: each wait has a limit of its own. */
  readonly waited: Waited;
}

interface Waited {
  readonly turn: number;
  readonly list: number;
}

const NOTHING: Waited = { turn: 0, list: 0 };

/** How a rollout waits that was accepted just now. */
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
 * What a rollout has waited by now. What was meant to be waited counts, and not the clock: time in which its
 * process was gone is no waiting. A list that was read is waited for from the beginning.
 */
export function waitedBy(waiting: Waiting | null, now: number): Waited {
  if (waiting === null) return NOTHING;
  const { waited, since, wakesAt } = waiting;
  const seconds = Math.max(0, Math.min(now, wakesAt) - since) / 1000;
  return {
    turn: waited.turn + (waiting.for === 'turn' ? seconds : 0),
    list: waiting.for === 'list' ? waited.list + seconds : 0,
  };
}

/** A rollout that is woken may have to try a few times before it is opened. */
const WAKING_MS = 5 * 60_000;

/** Whether somebody still looks after a rollout that wakes then. */
export function isAwaited(wakesAt: number, now: number): boolean {
  return now <= wakesAt + WAKING_MS;
}

/**
 * Whether a rollout that was asked for is too old to begin, because nobody looked after it: what it asks for
 * may not be what anybody wants any more. One that waited for its turn is never too old: the rollout that was
 * in its way may have given way to it, and the runtime would be left between two versions.
 *
 * @param maxAgeSeconds After which a trigger starts nothing.
 */
export function isExpired(waiting: Waiting, maxAgeSeconds: number, now: number): boolean {
  return waiting.for !== 'turn' && now > waiting.wakesAt + maxAgeSeconds * 1000;
}
