import type { Instant } from '../clock.ts';
import { type AskedRollout, activePlan, clockOf, wasOpened } from '../rollout/record.ts';
import { judgeBake } from '../wave/bake.ts';
import { LONGEST_LOOK_SECONDS, retryWaitSeconds } from '../wave/polls.ts';

/** A step with its retries may take this long after its wait. After that the rollout is late. */
const LATE_AFTER_MS = 60_000;

/**
 * The last sign of life of a rollout that is late, in milliseconds since the Unix epoch; `null` when it is not late.
 * Its process may have died, or cannot reach the ledger.
 */
export function quietSince(record: AskedRollout, now: number): number | null {
  if (record.outcome !== null) return null;
  const heardAt = lastHeardOf(record);
  const dueAt = heardAt + waitSeconds(record, heardAt) * 1000;
  return now > dueAt + LATE_AFTER_MS ? heardAt : null;
}

/**
 * The time that counts for a rollout, in milliseconds since the Unix epoch. Nobody counts for a rollout whose process
 * is dead: its time stands still since its last sign of life.
 */
export function timeOf(record: AskedRollout, now: number, isAbandoned: boolean): number {
  return isAbandoned ? lastHeardOf(record) : now;
}

function lastHeardOf({ startedAt, waiting, progress, journal, events }: AskedRollout): number {
  return Math.max(
    startedAt,
    waiting?.since ?? 0,
    progress?.clock.at ?? 0,
    journal.at(-1)?.at ?? 0,
    events.at(-1)?.at ?? 0,
  );
}

/** For how long the rollout may be silent because it waits. */
function waitSeconds(record: AskedRollout, heardAt: Instant): number {
  if (record.waiting !== null) return (record.waiting.wakesAt - heardAt) / 1000;
  const { progress } = record;
  const plan = activePlan(record);
  if (!wasOpened(record) || plan === null || progress === null) return 0;
  const { pollSeconds, maxPollSeconds } = record.request.policy;
  const bake = judgeBake(plan, progress);
  const bakeSeconds = bake === 'baked' ? LONGEST_LOOK_SECONDS : bake.lookAgainIn;
  return Math.max(
    pollSeconds,
    maxPollSeconds,
    progress.bakedMs === null ? 0 : bakeSeconds,
    retryWaitSeconds(record, clockOf(record, heardAt).watched),
  );
}
