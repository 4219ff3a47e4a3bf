import type { VirtualTime } from '../../lib/rehearsal/virtual-time.ts';

/** The time that a scenario goes by. */
export type Time = VirtualTime;

/** When every scenario begins. */
export const START = Date.parse('2026-01-01T00:00:00Z');

let current: Time | null = null;

/** Runs a scenario on a clock of its own, which everything in it can ask. */
export async function inScenarioTime<T>(time: Time, work: () => Promise<T>): Promise<T> {
  const before = current;
  current = time;
  try {
    return await time.run(work);
  } finally {
    current = before;
  }
}

/** @throws outside of a scenario. */
export function scenarioTime(): Time {
  if (current === null) throw new Error('No scenario is under way.');
  return current;
}

/** Milliseconds since the Unix epoch, on the scenario's own clock. */
export function scenarioNow(): number {
  return scenarioTime().now();
}

/** Seconds since the start of the scenario. */
export function secondsSinceStart(): number {
  return scenarioTime().seconds();
}
