import type { Cost } from './cost.ts';
import { EVENTS_OF_EXECUTION, EVENTS_OF_STATE } from './history-events.ts';

/** What the pattern takes as granted, each in its favour. */
export const POLLER_ASSUMPTIONS = [
  'one execution for each endpoint: start the roll; wait 15 s, look, choose; bake; look; succeed',
  'a look is 1 HTTP call, however large the list is, and the first one to see it live is believed',
  'nothing is remembered, verified or contained, and starting the executions costs nothing',
];

const POLL_SECONDS = 15;

/** One poller for each endpoint, as rollouts are usually written. */
export function countPollers(endpoints: number, rollSeconds: number): Cost {
  const looks = Math.ceil(rollSeconds / POLL_SECONDS);
  // Roll, each look, and one after the bake.
  const tasks = 1 + looks + 1;
  const waits = looks + 1;
  const choices = looks + 1;
  const events =
    EVENTS_OF_EXECUTION +
    tasks * EVENTS_OF_STATE.Task +
    waits * EVENTS_OF_STATE.Wait +
    choices * EVENTS_OF_STATE.Choice +
    EVENTS_OF_STATE.Succeed;
  return {
    transitions: endpoints * (tasks + waits + choices + 1),
    invocations: endpoints * tasks,
    httpCalls: endpoints * tasks,
    historyEvents: endpoints * events,
    readUnits: 0,
    writeUnits: 0,
  };
}
