import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { decideWindow } from '../../domain/turn/window.ts';
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

/** No freeze is in force, and a deployment window is open. */
export const windowOpen: Condition<Ready & { readonly window: Answer; readonly lookedAt: number }> =
  {
    async ask({ request, window, lookedAt }, { ledger }) {
      if (window.decision !== 'wait') return window;
      const latest = toLatestRequest(request, lookedAt + window.seconds * 1000);
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
