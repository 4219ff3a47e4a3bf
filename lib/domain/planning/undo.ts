import { findStopsSent, NO_ATTEMPTS } from '../endpoint/attempts.ts';
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
 * Which endpoints go back, and why others stay.
 *
 * @param draw How one of them is planned, or why it is left out. `null`: it was never rolled.
 */
export function goBack(
  undone: Undone,
  draw: (rolled: Rolled) => PlannedEndpoint | LeftOutReason | null,
): Sorted {
  const planned: PlannedEndpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  for (const rolled of rolledBy(undone)) {
    const drawn = draw(rolled);
    if (drawn === null) continue;
    const { endpointId, name, sharesName } = rolled.before;
    const which = { endpointId, name, ...(sharesName && { sharesName }) };
    if (typeof drawn === 'string') leftOut.push({ ...which, reason: drawn });
    else planned.push(drawn);
  }
  return { planned, leftOut };
}

/**
 * Plans the leg on which a rollout that failed goes back, in one wave. Endpoints that are known to be broken, or that a
 * gate accuses, go first, because they have the least to lose. Then come those that were not surely live: an endpoint that one list lacks is not broken.
 * What somebody else moved is theirs, and what had no version before has nowhere to go. One whose stop was sent stays
 * stopped, because nobody knows what a roll would do to it.
 *
 * @param seen What is known of the endpoints of the plan with the list that was read for this, by their place in it.
 */
export function planWayBack(
  { journal, progress }: Pick<AskedRollout, 'journal' | 'progress'>,
  plan: RolloutPlan,
  seen: readonly Observation[],
): RolloutPlan {
  const stopped = findStopsSent(journal);
  const accused = accusedOf(progress);
  const { planned, leftOut } = goBack({ plan, journal }, (rolled) => {
    const { before, index, previousVersion } = rolled;
    const { endpointId, desiredVersion } = before;
    // Its own rollout was asked for, and refused.
    if (seen[index]?.refused !== undefined) return null;
    if (stopped.has(endpointId)) return 'stopped';
    if (seen[index]?.state === 'superseded') return 'moved';
    if (seen[index]?.state === 'taken-back') return 'at-version';
    if (previousVersion === null) return 'previous-unknown';
    const turned = { ...before, desiredVersion: previousVersion, previousVersion: desiredVersion };
    return { ...turned, ...startOf(seen[index]) };
  });
  const rank = (one: PlannedEndpoint) => (accused.has(one.endpointId) ? 0 : rankOf(one));
  const endpoints = planned.toSorted((one, other) => rank(one) - rank(other));
  return {
    direction: 'back',
    endpoints,
    waves: endpoints.length === 0 ? [] : [{ from: 0, to: endpoints.length, bakeSeconds: 0 }],
    leftOut,
    maxUnavailable: plan.maxUnavailable,
    ...(plan.maxAtRisk !== undefined && { maxAtRisk: plan.maxAtRisk }),
  };
}

type Start = Pick<PlannedEndpoint, 'isBroken' | 'isUnsettled'>;

function startOf(seen: Observation | undefined): Start {
  if (seen && isStillLive(seen)) return {};
  const isLost = seen && (hasFailed(seen) || hasVanished(seen));
  return isLost ? { isBroken: true } : { isUnsettled: true };
}

/** Who has the least to lose goes first. */
function rankOf({ isBroken, isUnsettled }: Start): number {
  if (isBroken) return 0;
  return isUnsettled ? 1 : 2;
}
