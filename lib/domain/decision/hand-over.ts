import type { Instant } from '../clock.ts';
import { WAIT_STATES } from '../rollout/wait.ts';

/** Which one of its rollout's executions this is, and what it has used up. */
export interface ExecutionSoFar {
  /** 1-based. */
  readonly number: number;
  readonly startedAt: Instant;
  /** Events in the history of the execution, counted by the states that it has passed. */
  readonly events: number;
}

export interface ExecutionLimits {
  readonly events: number;
  /** Seconds from the start of the execution to the end of its next wait. */
  readonly seconds: number;
}

/**
 * Step Functions ends an execution at 25,000 events. Two kinds of events are not counted here: three for each time
 * that a step is tried again, and those of a cleanup, which are 2,800 for a rollout of 10,000 endpoints. The rest is
 * enough for 3,900 retries: for every second step to be tried again six times, or for 120 steps to be tried again for as
 * long as they may be (31 times, 13.5 minutes on average), which is a day of throttling. After that Step Functions ends
 * the execution, and the janitor closes its rollout.
 *
 * The workflow's own limit is 14 days. No wait is longer than a week, so a new execution always has time for its
 * first wait, and a cleanup has four days.
 */
export const EXECUTION_LIMITS: ExecutionLimits = { events: 10_000, seconds: 10 * 24 * 3600 };

/** Events of the start of an execution, its first step, and the choice after it. */
export const EVENTS_OF_OPENING = 8;

/** Events of a wait, the step after it, and the choice after that. */
const EVENTS_OF_LOOK = 9;

const EVENTS_OF_MAP = 4;
const EVENTS_OF_BATCH = 7;

/** How many events pass until a step decides again, if no step is tried again. */
export function eventsUntilNext(batches: number): number {
  const ofMap = batches === 0 ? 0 : EVENTS_OF_MAP + batches * EVENTS_OF_BATCH;
  return ofMap + EVENTS_OF_LOOK;
}

/** What comes before the end of the rollout, so another execution can do it. */
export const MAY_BE_HANDED_OVER = ['roll', ...WAIT_STATES.map(({ word }) => word)] as const;
type HandedOver = (typeof MAY_BE_HANDED_OVER)[number];

/** What the next execution goes on with; `null` when this execution goes on. */
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
