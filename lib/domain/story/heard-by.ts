import type { Instant, Seconds } from '../clock.ts';
import { type AskedRollout, activePlan, wasOpened } from '../rollout/record.ts';
import { isApprovalAsked } from '../signals/reject.ts';
import { judgeApproval, judgeBake } from '../wave/bake.ts';
import { LONGEST_LOOK_SECONDS, retryWaitSeconds } from '../wave/polls.ts';
import { quietSince } from './quiet.ts';

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
    verify.approval !== null && isApprovalAsked(record, progress)
      ? judgeApproval(progress, verify.approval)
      : 'over';
  const waits = [bake, approval].flatMap((one) => (typeof one === 'string' ? [] : one.lookAgainIn));
  return Math.ceil(Math.max(SHORTEST_SECONDS, pollSeconds, maxPollSeconds, byService, ...waits));
}

/** Beside the wait, the look itself takes its time. */
const SHORTEST_SECONDS: Seconds = 60;
