import type { Lease } from '../../domain/rollout/lease.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { decideWindow } from '../../domain/turn/window.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/wave/polls.ts';
import { type Answer, type Condition, GO, type Ready, refusal } from './condition.ts';
import { toLatestRequest } from './newest.ts';

/** Its policy lets it wait outside of its windows. Asked first: what its own policy refuses was not overtaken. */
export const mayWaitForWindow: Condition<Ready> = {
  async ask({ request }, { clock }) {
    const lookedAt = clock.now();
    const window = lookAtWindow(request.policy, lookedAt);
    return window.decision === 'refuse' ? window : { decision: 'go', learnt: { window, lookedAt } };
  },
};

/**
 * No freeze of the configuration is in force, and a deployment window is open. It is asked once more with the lease, because
 * what is waited for then may outlast the window. Whoever has the lease looks often: it may be told something.
 */
export const windowOpen: Condition<
  Ready & { readonly window: Answer; readonly lookedAt: number; readonly lease?: Lease }
> = {
  async ask({ request, window, lookedAt, lease }, { ledger }) {
    if (window.decision !== 'wait') return window;
    const { seconds } = window;
    if (lease !== undefined) return { ...window, seconds: Math.min(LONGEST_LOOK_SECONDS, seconds) };
    const latest = toLatestRequest(request, lookedAt + seconds * 1000);
    return { ...window, effect: () => ledger.recordLatestRequest(latest, lookedAt) };
  },
  foresee: async ({ request }, { clock }) => lookAtWindow(request.policy, clock.now()),
};

function lookAtWindow(policy: RolloutPolicy, now: number): Answer {
  const window = decideWindow(policy, now);
  if (window.decision === 'go') return GO;
  if (window.decision === 'refuse') return refusal(window.error, window.message);
  const { until, message } = window;
  const seconds = Math.ceil((until - now) / 1000);
  return { decision: 'wait', for: 'window', message, seconds, until };
}
