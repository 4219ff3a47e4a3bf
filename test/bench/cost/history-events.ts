/**
 * Events that AWS writes to an execution's history for each state that is entered: entered and exited,
 * for a Task scheduled, started and succeeded, for a Map started and succeeded, and for its iterations
 * started and succeeded.
 */
export const EVENTS_OF_STATE = {
  Task: 5,
  Map: 4,
  Choice: 2,
  Wait: 2,
  Pass: 2,
  Succeed: 2,
  Fail: 1,
};
export const EVENTS_OF_ITERATION = 2;
/** It started and succeeded. */
export const EVENTS_OF_EXECUTION = 2;
