import { isNoAccess } from '../error-meanings.ts';
import type { RolloutRecord } from '../rollout/record.ts';
import type { KeepReason } from './decide-stop.ts';

/** The function of a batch of stops has 600 s, and its stops need the rest. */
const LONGEST_WAIT_SECONDS = 300;

/**
 * Milliseconds until a batch of stops that nobody lets in tries again; 0: it has waited for as long as the progress
 * deadline, or for 5 minutes. Another batch that comes after that does not wait once more.
 *
 * @param begunAt When the batch began, in milliseconds since the Unix epoch.
 */
export function accessWaitMs(
  { request, journal }: Pick<RolloutRecord, 'request' | 'journal'>,
  begunAt: number,
  now: number,
): number {
  const { pollSeconds, progressDeadlineSeconds } = request.policy;
  const last = journal.findLast(({ operation, at }) => operation === 'stop' && at < begunAt);
  const hasWaited = isNoAccess(last?.reason ?? '') || last?.reason === UNREADABLE;
  if (hasWaited) return 0;
  const leftMs = begunAt + Math.min(progressDeadlineSeconds, LONGEST_WAIT_SECONDS) * 1000 - now;
  return Math.max(0, Math.min(pollSeconds * 1000, leftMs));
}

const UNREADABLE: KeepReason = 'list-unreadable';
