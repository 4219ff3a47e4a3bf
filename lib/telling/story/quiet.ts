import type { Instant, Seconds } from '../../domain/clock.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/look-again.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';

/** A step with its retries may take this long after its wait. After that the rollout is late. */
const LATE_AFTER_MS = 120_000;

/** Most looks come to their end within this time. */
const LOOK_MS = 60_000;

/**
 * The last sign of life of a rollout that is late, in milliseconds since the Unix epoch; `null` when it is not late.
 * Its process may have died, or cannot reach the ledger.
 */
export function quietSince(record: AskedRollout, now: number): number | null {
  if (record.outcome !== null) return null;
  const heardAt = lastHeardOf(record);
  return now > lookDueAt(record, heardAt) + LATE_AFTER_MS ? heardAt : null;
}

/**
 * The time that counts for a rollout, in milliseconds since the Unix epoch. Nobody counts for a rollout whose process
 * is dead: its time stands still since its last sign of life.
 */
export function timeOf(record: AskedRollout, now: number, isAbandoned: boolean): number {
  return isAbandoned ? lastHeardOf(record) : now;
}

function lastHeardOf({ startedAt, opening, progress, journal, events }: AskedRollout): Instant {
  return Math.max(
    startedAt,
    opening?.lookedAt ?? 0,
    progress?.clock.at ?? 0,
    journal.at(-1)?.at ?? 0,
    events.at(-1)?.at ?? 0,
  );
}

/** When the next look is due. Writes that a look decides come before its wait, and take their time. */
function lookDueAt({ wait, opening, progress }: AskedRollout, heardAt: Instant): Instant {
  const lookedAt = opening?.lookedAt ?? progress?.clock.at ?? heardAt;
  return wait === null ? heardAt : heardAt + Math.max(0, wait.lookAt - lookedAt);
}

/** A process on this machine asks for what it is told, also while it reads a list or asks a gate. */
const ON_THIS_MACHINE_SECONDS: Seconds = 2;

/** A write is never given up: it is sent within 2 s, and answered within 10 s. */
const LONGEST_WRITE_SECONDS: Seconds = 12;

/** Whether writes are under way, or are about to be. */
function isWriting({ wait, progress, journal }: AskedRollout): boolean {
  const last = new Map(
    journal.map(({ operation, endpointId, result }) => [`${operation} ${endpointId}`, result]),
  );
  const isActing = progress !== null && wait === null;
  return isActing || [...last.values()].includes('intended');
}

interface Hearing {
  /** Whether the rollout listens while it waits, as it does on one machine. */
  readonly listens: boolean;
  /** Whether its process seems to be dead. */
  readonly isAbandoned: boolean;
}

/**
 * By when a rollout has heard what it was told at `now`, at the latest. A write that is under way is finished first, and on AWS
 * the whole step.
 * `null`: nobody listens, because its process is dead or was not heard of for too long.
 */
export function heardBy(
  record: AskedRollout,
  now: Instant,
  { listens, isAbandoned }: Hearing,
): Instant | null {
  if (isAbandoned || quietSince(record, now) !== null) return null;
  if (listens) {
    const afterWrite = isWriting(record) ? LONGEST_WRITE_SECONDS : 0;
    return now + (ON_THIS_MACHINE_SECONDS + afterWrite) * 1000;
  }
  const { wait } = record;
  if (wait === null) return now + LONGEST_LOOK_SECONDS * 1000;
  return Math.max(now, lookDueAt(record, lastHeardOf(record))) + LOOK_MS;
}
