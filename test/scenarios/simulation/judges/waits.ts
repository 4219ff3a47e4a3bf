import { gatesIn } from '../../../support/gates-in.ts';
import type { Ordeal } from '../ordeal.ts';

type Seconds = (ordeal: Ordeal) => number;

/**
 * What a rollout may wait for besides its service, each with the most seconds that it can cost in all. A judge that says
 * *no later than* adds those that may come between. So whoever adds something to wait for adds a line here.
 */
export const WAITS = {
  /** A list that cannot be read, or proves nothing. */
  list: ({ lists }) => sum(lists.map(({ seconds }) => seconds)),
  /** A roll or a stop without its answer, or one that is refused for now. */
  write: ({ writes, broken }) => 110 * writes.length + 120 * broken.length,
  /** A person, in each wave. */
  approval: ({ policy }) => policy.verify.approval?.timeoutSeconds ?? 0,
  /** Two periods of a metric and their delay, in each wave. */
  metric: ({ policy }) => (gatesIn(policy).metrics.length === 0 ? 0 : 360),
  /** The work of a check, the delay of its last answer, and the look after it, in each wave. */
  check: ({ check }) =>
    check === undefined
      ? 0
      : Math.min(check.worksFor, check.deadlineSeconds) + check.delaySeconds + 300,
  /** A pause or a freeze, a look, and a new start of what was waited for. */
  hold: ({ held }) => sum((held?.holds ?? []).map(({ seconds }) => seconds + 400)),
  /** A window: the clock may be slow, and what is frozen while it is open waits for the next one. */
  window: ({ hours, opensAfter, clock, held, policy, endpoints }) => {
    const opens = hours?.openings.at(-1)?.[0] ?? opensAfter;
    const next = hours !== null && held !== undefined ? 7 * 24 * 3600 : 0;
    // Windows that bind rolls: at the worst, each roll waits for the next one.
    const isBound = policy.windowsBind === 'rolls' || policy.waves.some(({ windows }) => windows);
    const closed = isBound ? endpoints.length * LONGEST_CLOSED_SECONDS : 0;
    return closed + next + (opens === 0 ? 0 : opens + (clock === null ? 0 : 3600));
  },
  /** A version that is still being made. */
  version: ({ asked, policy }) =>
    asked?.kind === 'listed' ? policy.progressDeadlineSeconds + 120 : 0,
  /** A process that is dead, or stands still. */
  process: ({ death, resumesAfter, stall }) =>
    (death === null ? 0 : (resumesAfter ?? 0)) + (stall?.seconds ?? 0),
  /** A clock that jumps there and back: a longer jump does not count at all. */
  clock: ({ clock }) => (clock === null ? 0 : 61),
} satisfies Record<string, Seconds>;

/** One is drawn to open every six hours at least. */
const LONGEST_CLOSED_SECONDS = 6 * 3600;

export function waitsFor(ordeal: Ordeal, ...all: readonly (keyof typeof WAITS)[]): number {
  return sum(all.map((one) => WAITS[one](ordeal)));
}

/** Between two looks at a wave, with the tries of their calls. */
export function longestLook({ policy, latencyMs }: Ordeal): number {
  return Math.max(policy.pollSeconds, policy.maxPollSeconds) + (2 * latencyMs) / 1000;
}

function sum(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0);
}
