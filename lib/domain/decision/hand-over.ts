/** Which of the executions of its rollout one is, and what it has used up. */
export interface ExecutionSoFar {
  /** 1-based. */
  readonly number: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Of its history, counted by the states that it has gone through. */
  readonly events: number;
}

/** What an execution may use up before it hands over to the next one. */
export interface ExecutionLimits {
  readonly events: number;
  /** From its start to the end of its next wait. */
  readonly seconds: number;
}

/**
 * Step Functions ends an execution at 25,000 events. Those of a step that is tried again are not counted, three
 * for each try, nor those of a cleanup: 400 batches of 7 events each. What is left is enough for a step in two to be
 * tried again six times. What waits to be opened is not handed over: a week for a list and a day for its turn are
 * 21,000 events at most.
 *
 * The workflow's own limit is 14 days. No wait is longer than a week, so a new execution always has the time
 * for its first one, and a cleanup has four days.
 */
export const EXECUTION_LIMITS: ExecutionLimits = { events: 10_000, seconds: 10 * 24 * 3600 };

/** The start of an execution, its first step, and the choice after it. */
export const EVENTS_OF_OPENING = 8;

/** A wait, the step after it, and the choice after that. */
const EVENTS_OF_LOOK = 9;

const EVENTS_OF_MAP = 4;
const EVENTS_OF_BATCH = 7;

/** Events until a step decides again, if none of them is tried again. */
export function eventsUntilNext(batches: number): number {
  const ofMap = batches === 0 ? 0 : EVENTS_OF_MAP + batches * EVENTS_OF_BATCH;
  return ofMap + EVENTS_OF_LOOK;
}

/** What comes before the rollout has ended, and may as well be done by another execution. */
const MAY_BE_HANDED_OVER = ['wait', 'bake', 'roll'] as const;
type HandedOver = (typeof MAY_BE_HANDED_OVER)[number];

/** What to go on with in the next execution; `null`: this one goes on. */
export function decideHandOver(
  execution: ExecutionSoFar,
  next: string,
  waitSeconds: number,
  now: number,
  limits: ExecutionLimits,
): HandedOver | null {
  const seconds = (now - execution.startedAt) / 1000 + waitSeconds;
  const isSpent = execution.events > limits.events || seconds > limits.seconds;
  return (isSpent && MAY_BE_HANDED_OVER.find((one) => one === next)) || null;
}
