import { decideWindow } from '../../domain/turn/window.ts';
import {
  type Ahead,
  type Answer,
  type Condition,
  GO,
  type OpeningPorts,
  type Ready,
  type Refusal,
  refusal,
  type Wait,
} from './condition.ts';
import { toLatestRequest } from './newest.ts';

/**
 * Outside of its windows, the policy lets it wait. This is asked before other rollouts are looked at: whoever is refused
 * by its own policy was not overtaken.
 */
export const mayWaitForWindow: Condition<Ready> = { ask: lookAtWindow, foresee: null };

/** No freeze is in force, and a deployment window is open. */
export const windowOpen: Condition<Looked> = { ask: awaitWindow, foresee: foreseeWindow };

type Looked = Ready & { readonly window: Window };

type Window = Exclude<ReturnType<typeof decideWindow>, { decision: 'refuse' }> & {
  /** When somebody looked, in milliseconds since the Unix epoch. */
  readonly now: number;
};

async function lookAtWindow(
  { request }: Ahead,
  { clock }: Pick<OpeningPorts, 'clock'>,
): Promise<Refusal | { readonly decision: 'go'; readonly learnt: { readonly window: Window } }> {
  const now = clock.now();
  const window = decideWindow(request.policy, now);
  if (window.decision === 'refuse') return refusal(window.error, window.message);
  return { decision: 'go', learnt: { window: { ...window, now } } };
}

/** Whoever waits is the latest request from then on, so that no older one begins before it. */
async function awaitWindow(
  { request, window }: Looked,
  { ledger }: Pick<OpeningPorts, 'ledger'>,
): Promise<Answer> {
  const answer = waitFor(window);
  if (answer.decision === 'go') return answer;
  const latest = toLatestRequest(request, window.now + answer.seconds * 1000);
  return { ...answer, effect: () => ledger.recordLatestRequest(latest, window.now) };
}

async function foreseeWindow(rollout: Ahead, ports: Pick<OpeningPorts, 'clock'>): Promise<Answer> {
  const looked = await lookAtWindow(rollout, ports);
  return looked.decision === 'go' ? waitFor(looked.learnt.window) : looked;
}

function waitFor(window: Window): Wait | typeof GO {
  if (window.decision === 'go') return GO;
  const { until, message, now } = window;
  const seconds = Math.ceil((until - now) / 1000);
  return { decision: 'wait', for: 'window', message, seconds, until };
}
