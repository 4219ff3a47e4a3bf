import { ErrorName } from '../../domain/errors.ts';
import { describeHold, type Hold } from '../../domain/holds/hold.ts';
import { type Holdable, whatFreezes } from '../../domain/holds/what-holds.ts';
import type { Lease } from '../../domain/rollout/lease.ts';
import type { OutsideWindow } from '../../domain/rollout/policy.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/wave/polls.ts';
import { type Answer, type Condition, GO, type Ready, refusal } from './condition.ts';
import type { WithHolds } from './holds-read.ts';
import { toLatestRequest } from './newest.ts';

/**
 * No freeze of a person is on it. It is asked once more with the lease, because a freeze may have come meanwhile. The rollout
 * of a group's runtime always waits, so that the group does not lose the runtime.
 */
export const unheld: Condition<Ready & WithHolds & { readonly lease?: Lease }> = {
  async ask({ request, lease, holds }, { ledger, clock }) {
    const now = clock.now();
    const { parent, policy } = request;
    const answer = lookAtHolds(request, holds, parent ? 'wait' : policy.outsideWindow, now);
    if (answer.decision !== 'wait' || lease !== undefined) return answer;
    // It is the latest request from now on, so that no older one begins before it.
    const latest = toLatestRequest(request, now + answer.seconds * 1000);
    return { ...answer, effect: () => ledger.recordLatestRequest(latest, now) };
  },
  async foresee({ request }, { ledger, clock }) {
    const { runtimeId, policy } = request;
    const { holds } = await ledger.hear({ rolloutId: '', runtimeId });
    return lookAtHolds(request, holds, policy.outsideWindow, clock.now());
  },
};

function lookAtHolds(
  rollout: Holdable,
  holds: readonly Hold[],
  outsideWindow: OutsideWindow,
  now: number,
): Answer {
  const frozen = whatFreezes(rollout, holds, now);
  if (frozen.length === 0) return GO;
  const message = frozen.map(describeHold).join(' ');
  if (outsideWindow === 'refuse') {
    return refusal(ErrorName.Held, `${message} It may not wait.`);
  }
  const until = Math.max(...frozen.map((hold) => hold.until));
  const seconds = Math.ceil(Math.min(LONGEST_LOOK_SECONDS, (until - now) / 1000));
  return { decision: 'wait', for: 'hold', message, seconds, until };
}
