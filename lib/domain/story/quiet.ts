import type { Instant, Seconds } from '../clock.ts';
import { LONGEST_LOOK_SECONDS } from '../look-again.ts';
import { type AskedRollout, activePlan, clockOf, wasOpened } from '../rollout/record.ts';
import { findAskedFor } from '../signals/approval.ts';
import { judgeApproval, judgeBake } from '../wave/bake.ts';
import { retryWaitSeconds } from '../wave/polls.ts';

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

/** A process that waits on this machine asks for what it is told. */
const ON_THIS_MACHINE_SECONDS: Seconds = 2;

interface Hearing {
  /** Whether the rollout listens while it waits, as it does on one machine. */
  readonly listens: boolean;
  /** Whether its process seems to be dead. */
  readonly isAbandoned: boolean;
}

/**
 * By when a rollout has heard what it was told at `now`, at the latest. A step that is under way is finished first.
 * `null`: nobody listens, because its process is dead or was not heard of for too long.
 */
export function heardBy(
  record: AskedRollout,
  now: Instant,
  { listens, isAbandoned }: Hearing,
): Instant | null {
  if (isAbandoned || quietSince(record, now) !== null) return null;
  const seconds = listens ? ON_THIS_MACHINE_SECONDS : longestWaitSeconds(record);
  return now + seconds * 1000;
}

/** The longest time between two looks, where the rollout is now. */
function longestWaitSeconds(record: AskedRollout): Seconds {
  const plan = activePlan(record);
  const { progress } = record;
  // It waits to open, or nobody can read the list.
  if (!wasOpened(record) || plan === null || progress === null || progress.unreadableMs !== null) {
    return LONGEST_LOOK_SECONDS;
  }
  const { pollSeconds, maxPollSeconds, verify } = record.request.policy;
  const byService = retryWaitSeconds(record, progress.clock.watched);
  const bake = progress.bakedMs === null ? 'baked' : judgeBake(plan, progress);
  const approval =
    verify.approval !== null && findAskedFor(record, progress) !== undefined
      ? judgeApproval(progress, verify.approval)
      : 'over';
  const waits = [bake, approval].flatMap((one) => (typeof one === 'string' ? [] : one.lookAgainIn));
  return Math.ceil(Math.max(SHORTEST_SECONDS, pollSeconds, maxPollSeconds, byService, ...waits));
}

/** Beside the wait, the look itself takes its time. */
const SHORTEST_SECONDS: Seconds = 60;
