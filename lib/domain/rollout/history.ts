import type { Instant } from '../clock.ts';
import type { AskedRequest } from './request.ts';

const DAY_MS = 24 * 3_600_000;

/** A group looks at the rollouts of its runtimes until it ends, so these stay for so much longer. */
const OF_GROUP_DAYS = 30;

/** Clocks differ. What a storage removes by itself, part by part, nobody has read for a day. */
const REMOVED_LATER_MS = DAY_MS;

interface EndedRollout {
  readonly endedAt?: Instant | null | undefined;
  /** Seconds since the Unix epoch: from then on the storage may remove its parts. @default - it was not told to */
  readonly expiresAt?: number | undefined;
  readonly request?: Pick<AskedRequest, 'parent'> | undefined;
}

/** A rollout that ended before this time has left a history of so many days. */
export function historyBegins(days: number, now: Instant): Instant {
  return now - days * DAY_MS;
}

/** When a storage may remove the parts of a rollout by itself, in seconds since the Unix epoch. */
export function expiresAt(
  endedAt: Instant,
  request: EndedRollout['request'],
  historyDays: number,
): number {
  return Math.ceil((leavesAt(endedAt, request, historyDays) + REMOVED_LATER_MS) / 1000);
}

/**
 * Whether a rollout has left the history: then it is gone for everybody, whatever its storage has removed of it by now.
 *
 * @param historyDays @default - rollouts stay for ever, except those that a storage was told to remove
 */
export function hasLeftHistory(
  { endedAt, expiresAt, request }: EndedRollout,
  historyDays: number | undefined,
  now: Instant,
): boolean {
  if (endedAt == null) return false;
  const isOver = expiresAt !== undefined && now >= expiresAt * 1000 - REMOVED_LATER_MS;
  return isOver || (historyDays !== undefined && now >= leavesAt(endedAt, request, historyDays));
}

function leavesAt(endedAt: Instant, request: EndedRollout['request'], days: number): Instant {
  return endedAt + (days + (request?.parent === undefined ? 0 : OF_GROUP_DAYS)) * DAY_MS;
}
