import type { Ms } from '../clock.ts';
import type { Stored } from '../stored.ts';
import type { observation } from './stored.ts';

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: it is not rolled yet.
 * - `requested`: the roll was sent, and the target version does not show it yet.
 * - `progressing`: the target is the desired version, and the live version is not there yet.
 * - `converged`: the target, live and desired versions are equal, and the status is not a known failure.
 * - `failed`: the status is a known failure, or the service refused the roll; of a runtime, its own rollout was refused.
 * - `missing`: it is not in the list. After three such reads and half a minute it counts as gone.
 * - `reverted`: it had the desired target and now shows an earlier one. That may be an old answer. After a minute and
 *   three such reads it counts as taken back; in a rollback, as superseded.
 * - `taken-back`: it is on an earlier version again: the service has put it there, or somebody. This state stays too.
 * - `superseded`: it is elsewhere, and not because of us. Somebody else may have moved it, or the service. Once seen, this
 *   state stays.
 */
export const ENDPOINT_STATES = [
  'pending',
  'requested',
  'progressing',
  'converged',
  'failed',
  'missing',
  'reverted',
  'taken-back',
  'superseded',
] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/**
 * An endpoint's state, and how many consecutive complete reads have said so. The state is counted, and not each value of
 * the row, because a value proves nothing without the rolls that were sent.
 */
export interface Observation extends Stored<typeof observation> {}

/** An endpoint counts as converged or failed when this many consecutive complete reads agree. */
export const SETTLING_READS = 2;

/** A roll may be made once more when this many consecutive complete reads do not show the desired target. */
export const REGISTERING_READS = 3;

/** For so long an old answer may be shown. */
export const OLD_ANSWER_MS: Ms = 60_000;

/** How many consecutive complete reads settle a state, and for how long they have to show it. */
interface Proof {
  readonly reads: number;
  readonly ms: Ms;
}

/** One read proves nothing: it may be an old answer. */
const TWO_READS: Proof = { reads: SETTLING_READS, ms: 0 };

/** What settles that an endpoint is as a read shows it. Then it counts for the wave, or against it. */
export const SETTLED_BY: Readonly<Record<EndpointState, Proof>> = {
  pending: TWO_READS,
  requested: TWO_READS,
  progressing: TWO_READS,
  converged: TWO_READS,
  failed: TWO_READS,
  // Gone from the list.
  missing: { reads: 3, ms: 30_000 },
  // Taken back, which is then its state: one that is shown on an earlier version for a shorter while was seen in an old answer.
  reverted: { reads: REGISTERING_READS, ms: OLD_ANSWER_MS },
  'taken-back': { reads: 1, ms: 0 },
  superseded: { reads: 1, ms: 0 },
};

/** What takes time is marked when it is settled. */
export function isConfirmed({ state, reads, isGone }: Observation): boolean {
  const proof = SETTLED_BY[state];
  return isGone === true || (proof.ms === 0 && reads >= proof.reads);
}

/** What the read shows has to be shown for a while before it is believed. */
export function needsTime(observation: Observation): boolean {
  return SETTLED_BY[observation.state].ms > 0 && !isConfirmed(observation);
}

export function hasConverged(observation: Observation): boolean {
  return observation.state === 'converged' && isConfirmed(observation);
}

export function hasFailed(observation: Observation): boolean {
  return observation.state === 'failed' && isConfirmed(observation);
}

export function hasVanished(observation: Observation): boolean {
  return observation.state === 'missing' && isConfirmed(observation);
}

/** It is not in the list, and that may be an old answer yet, or a short one. */
export function isNotYetGone(observation: Observation): boolean {
  return observation.state === 'missing' && !isConfirmed(observation);
}

/** The service has put it back to an earlier version, or somebody: that speaks against the version. */
export function isTakenBack({ state }: Observation): boolean {
  return state === 'taken-back';
}

/** It is elsewhere. Once seen, these states stay: nobody writes to such an endpoint any more. */
export function isTakenAway({ state }: Observation): boolean {
  return state === 'superseded' || state === 'taken-back';
}

export function isLostForGood(observation: Observation): boolean {
  return isTakenAway(observation) || hasFailed(observation) || hasVanished(observation);
}

/**
 * Nobody can say how it is, and nothing speaks against it: the last read did not tell where it is, or lacked it, or it had
 * converged and says a word by now that nobody knows.
 */
export function isUntold(observation: Observation): boolean {
  const saysNothing = observation.isSilent === true || isNotYetGone(observation);
  return saysNothing || (wasConfirmed(observation) && isInUnknownStatus(observation));
}

/** It is on the version, and says a word that nobody knows: nobody can say whether it is well there. */
export function isInUnknownStatus({ unknownStatus }: Observation): boolean {
  return unknownStatus !== undefined;
}

/** The last read shows it converged. One that told no versions, or an unknown status, does not count. */
export function isShownConverged({ state, reads }: Observation): boolean {
  return state === 'converged' && reads > 0;
}

/** It looks converged, but so would an old answer, and nothing else shows that it has taken its roll. */
export function isUnproven({ state, since, hadTarget }: Observation): boolean {
  return state === 'progressing' && since !== undefined && hadTarget !== true;
}

/** It was touched and has not settled yet: it counts as unavailable. */
export function isInMidRoll(observation: Observation): boolean {
  return (
    observation.state !== 'pending' && !hasConverged(observation) && !isLostForGood(observation)
  );
}

/** Somebody has pinned it before it got there: it counts for nothing, and takes nobody's place. */
export function isLetGo({ isPinned }: Observation): boolean {
  return isPinned === true;
}

const RANK: Readonly<Record<EndpointState, number>> = {
  pending: 0,
  missing: 0,
  failed: 0,
  'taken-back': 0,
  superseded: 0,
  reverted: 0,
  requested: 1,
  progressing: 2,
  converged: 3,
};

/** The read that confirms a convergence is progress too: only then the next endpoints may be rolled. */
const CONFIRMED_RANK = 4;

export function rankOf(observation: Observation): number {
  return hasConverged(observation) ? CONFIRMED_RANK : RANK[observation.state];
}

export function furthestOf(observation: Observation): number {
  return Math.max(rankOf(observation), observation.furthest ?? 0);
}

/** A read has shown it in this state, or further, although that may have been an old answer. */
export function hasGotTo(
  state: 'requested' | 'progressing' | 'converged',
  observation: Observation,
): boolean {
  return furthestOf(observation) >= RANK[state];
}

/** It got to the version, which two reads have shown, and it surely is no longer what it was then. */
export function isBad(observation: Observation): boolean {
  return (
    observation.isBad === true || observation.state === 'taken-back' || hasRegressed(observation)
  );
}

/** Reads have confirmed that it was there, and that it is not any more. */
export function hasRegressed(observation: Observation): boolean {
  return wasConfirmed(observation) && isSurelyLost(observation);
}

/** Reads have confirmed once that it was there. */
export function wasConfirmed(observation: Observation): boolean {
  return furthestOf(observation) === CONFIRMED_RANK;
}

/** The last read showed it on its way: neither did that tell nothing of it, nor did it show it live. */
export function isSeenInMidRoll(observation: Observation): boolean {
  return isInMidRoll(observation) && !isUntold(observation) && !isShownConverged(observation);
}

/** It had converged, and the last read does not speak against that: it shows the version, or no version at all. */
export function isStillLive(observation: Observation): boolean {
  return observation.state === 'converged' && wasConfirmed(observation);
}

/** A read showed it converged once, and those since then do not prove that it is not any more. */
export function mayStillBeLive(observation: Observation): boolean {
  return hasGotTo('converged', observation) && !isSurelyLost(observation);
}

/** Reads confirm that it is not converged. */
function isSurelyLost(observation: Observation): boolean {
  return observation.state !== 'converged' && isConfirmed(observation);
}
