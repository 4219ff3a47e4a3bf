import { activePlan } from '../active-plan.ts';
import { bakeLookSeconds } from '../judge/bake.ts';
import { retryWaitSeconds } from '../judge/next-poll.ts';
import { type AskedRollout, wasOpened } from '../rollout.ts';

/** A step with its retries may take so long beyond the wait before it. */
const STEP_MS = 60_000;

/** Longest wait for an approval between two looks, and longest time for the gates. */
const GATES_SECONDS = 300;

/**
 * When a rollout that should have spoken since was last heard of, in milliseconds since the Unix epoch;
 * `null`: it is not late. Its process may have died, or may be unable to reach the ledger.
 */
export function quietSince(record: AskedRollout, now: number): number | null {
  if (record.outcome !== null) return null;
  const { startedAt, waiting, progress, journal, events } = record;
  const heardAt = Math.max(
    startedAt,
    waiting?.since ?? 0,
    progress?.readAt ?? 0,
    journal.at(-1)?.at ?? 0,
    events.at(-1)?.at ?? 0,
  );
  const dueAt = heardAt + waitSeconds(record, heardAt) * 1000;
  return now > dueAt + STEP_MS ? heardAt : null;
}

/** How long the rollout may have to wait before it speaks again. */
function waitSeconds(record: AskedRollout, heardAt: number): number {
  if (record.waiting !== null) return (record.waiting.wakesAt - heardAt) / 1000;
  const { progress } = record;
  const plan = activePlan(record);
  if (!wasOpened(record) || plan === null || progress === null) return 0;
  const { pollSeconds, maxPollSeconds } = record.request.policy;
  return Math.max(
    pollSeconds,
    maxPollSeconds,
    progress.bakedMs === null ? 0 : bakeLookSeconds(plan, progress) || GATES_SECONDS,
    retryWaitSeconds(record, heardAt),
  );
}
