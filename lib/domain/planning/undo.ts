import { findStopsSent, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import type { LeftAs } from '../endpoint/condition.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { hasFailed, hasVanished, isStillLive, type Observation } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import type { LeftOutEndpoint, LeftOutReason, RolloutPlan } from '../rollout/plan.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { accusedOf } from '../wave/gate-watch.ts';
import type { Sorted } from './plan-rollout.ts';

// A rollout is undone on its own way back, or by another rollout. Both go through everything that it may have rolled.

export type Undone = Pick<AskedRollout, 'plan' | 'journal'>;

/** An endpoint that a rollout may have rolled. */
export interface Rolled {
  readonly before: PlannedEndpoint;
  /** Its place in that plan. */
  readonly index: number;
  /** Where it goes back to. `null`: it had no version before, or nobody knows that one. */
  readonly previousVersion: number | null;
  /** Milliseconds since the Unix epoch: its last roll forward. `null`: the rollout has rolled it back after that. */
  readonly forwardAt: number | null;
}

export function rolledBy({ plan, journal }: Undone): Rolled[] {
  const forward = rollHistories(journal, 'forward');
  const back = rollHistories(journal, 'back');
  return (plan?.endpoints ?? []).flatMap((before, index) => {
    const history = forward.get(before.endpointId) ?? NO_ATTEMPTS;
    if (!wasSent(history)) return [];
    const isBack = wasSent(back.get(before.endpointId) ?? NO_ATTEMPTS);
    const forwardAt = isBack ? null : (history.last?.at ?? null);
    // Some services say 0 before the first version is live.
    const { previousVersion } = before;
    const hadOne = previousVersion !== null && previousVersion >= 1;
    return [{ before, index, previousVersion: hadOne ? previousVersion : null, forwardAt }];
  });
}

/**
 * What is known now of an endpoint that may have been rolled: from where it goes back, or why it stays. `null`: nothing is
 * to be told of it.
 */
type Found =
  | Pick<
      PlannedEndpoint,
      'previousVersion' | 'previousTarget' | 'wrongBefore' | 'leftAs' | 'attributes'
    >
  | LeftOutReason
  | null;

/** How a plan that undoes a rollout is drawn: what it goes by, and what becomes of it. */
export interface Undoing {
  find(rolled: Rolled): Found;
  layOut(sorted: Sorted): RolloutPlan;
}

/**
 * Plans to undo a rollout: every endpoint that it may have rolled goes back to the version that its plan recorded. What
 * somebody else moved is theirs, and what had no version before has nowhere to go.
 */
export function planUndo(undone: Undone, { find, layOut }: Undoing): RolloutPlan {
  const planned: PlannedEndpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  for (const rolled of rolledBy(undone)) {
    const found = find(rolled);
    if (found === null) continue;
    const { endpointId, name, sharesName } = rolled.before;
    const which = { endpointId, name, ...(sharesName && { sharesName }) };
    const desiredVersion = rolled.previousVersion;
    if (typeof found === 'string') leftOut.push({ ...which, reason: found });
    else if (desiredVersion === null) leftOut.push({ ...which, reason: 'previous-unknown' });
    else planned.push({ ...which, desiredVersion, ...found });
  }
  return layOut({ planned, leftOut });
}

/**
 * The leg on which a rollout that failed goes back, in one wave. Endpoints that are known to be broken, or that a gate
 * accuses, go first, because they have the least to lose. Then come those that were not surely live: an endpoint that one
 * list lacks is not broken. One whose stop was sent stays stopped, because nobody knows what a roll would do to it.
 *
 * @param seen What is known of the endpoints of the plan with the list that was read for this, by their place in it.
 */
export function asWatched(
  { journal, progress }: Pick<AskedRollout, 'journal' | 'progress'>,
  { maxUnavailable, maxAtRisk }: Pick<RolloutPlan, 'maxUnavailable' | 'maxAtRisk'>,
  seen: readonly Observation[],
): Undoing {
  const stopped = findStopsSent(journal);
  const accused = accusedOf(progress);
  return {
    find({ before: { endpointId, desiredVersion, previousTarget, wrongBefore }, index }) {
      const { refused, state } = seen[index] ?? {};
      // Its own rollout was asked for, and refused.
      if (refused !== undefined) return null;
      if (stopped.has(endpointId)) return 'stopped';
      if (state === 'superseded') return 'moved';
      if (state === 'taken-back') return 'at-version';
      const leftAs = leftAsOf(seen[index]);
      const before = { previousVersion: desiredVersion, previousTarget, wrongBefore };
      return { ...before, ...(leftAs && { leftAs }) };
    },
    layOut({ planned, leftOut }) {
      const rank = ({ endpointId, leftAs }: PlannedEndpoint) =>
        accused.has(endpointId) ? 0 : ORDER.indexOf(leftAs);
      const endpoints = planned.toSorted((one, other) => rank(one) - rank(other));
      return {
        direction: 'back',
        endpoints,
        waves: endpoints.length === 0 ? [] : [{ from: 0, to: endpoints.length, bakeSeconds: 0 }],
        leftOut,
        maxUnavailable,
        ...(maxAtRisk !== undefined && { maxAtRisk }),
      };
    },
  };
}

/** Who has the least to lose goes first. */
const ORDER: readonly PlannedEndpoint['leftAs'][] = ['broken', 'unsettled', undefined];

function leftAsOf(seen: Observation | undefined): LeftAs | undefined {
  if (seen && isStillLive(seen)) return undefined;
  return seen && (hasFailed(seen) || hasVanished(seen)) ? 'broken' : 'unsettled';
}
