/** The time, as an argument: production reads the system's clock, and tests move a clock of their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `milliseconds`, or rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** What the steps of a rollout go by. */
export interface StepClock extends Clock {
  /** Whole milliseconds since some moment of this process. It goes on evenly when `now` jumps. */
  elapsed(): number;
}
