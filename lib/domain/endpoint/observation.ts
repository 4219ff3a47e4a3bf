import type { Stored } from '../stored.ts';
import type { observation } from './stored.ts';

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: it is not rolled yet.
 * - `requested`: the roll was sent, and the target version does not show it yet.
 * - `progressing`: the target is the desired version, and the live version is not there yet.
 * - `converged`: the target, live and desired versions are equal, and the status is not a known failure.
 * - `failed`: the status is a known failure, or the service refused the roll.
 * - `missing`: it is not in the list.
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

/** An endpoint's state, and how many consecutive complete reads have said so. */
export interface Observation extends Stored<typeof observation> {}

/** An endpoint counts as converged or failed when this many consecutive complete reads agree. */
export const SETTLING_READS = 2;

/** An endpoint counts as vanished when this many consecutive complete reads do not have it: one read may be stale. */
const VANISHING_READS = 3;

/** A roll may be made once more when this many consecutive complete reads do not show the desired target. */
export const REGISTERING_READS = 3;

// These functions say what consecutive reads prove of one endpoint. One read proves nothing: it may be an old answer.

export function hasConverged({ state, reads }: Observation): boolean {
  return state === 'converged' && reads >= SETTLING_READS;
}

export function hasFailed({ state, reads }: Observation): boolean {
  return state === 'failed' && reads >= SETTLING_READS;
}

export function hasVanished({ state, reads }: Observation): boolean {
  return state === 'missing' && reads >= VANISHING_READS;
}

export function needsAnotherRead({ reads }: Observation): boolean {
  return reads < SETTLING_READS;
}

/** Whether an endpoint that had converged is surely not converged any more. */
export function isSurelyLost({ state, reads }: Observation): boolean {
  // An earlier target may be an old answer for a while; after that the state becomes superseded.
  if (state === 'converged' || state === 'reverted') return false;
  if (state === 'superseded' || state === 'taken-back') return true;
  return reads >= (state === 'missing' ? VANISHING_READS : SETTLING_READS);
}

/** It was rolled, and read after read its target does not show it. */
export function isLongUnregistered(observation: Observation): boolean {
  return isUnregistered(observation) && observation.reads >= REGISTERING_READS;
}

/** The service has put it back to an earlier version, or somebody: that speaks against the version. */
export function isTakenBack({ state }: Observation): boolean {
  return state === 'taken-back';
}

export function isLostForGood(observation: Observation): boolean {
  if (observation.state === 'superseded' || observation.state === 'taken-back') return true;
  return hasFailed(observation) || hasVanished(observation);
}

/** It was rolled, and its target has never shown it. */
export function isUnregistered({ state }: Observation): boolean {
  return state === 'requested';
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

/** A look after its roll has shown it without a failed status, or further than that. */
export function wasSeenRolled(observation: Observation): boolean {
  return furthestOf(observation) >= RANK.requested;
}

/** A look has shown it at the desired target, although that may have been an old answer. */
export function wasSeenAtTarget(observation: Observation): boolean {
  return observation.hadTarget === true || furthestOf(observation) >= RANK.progressing;
}

/** A look has shown it converged, although perhaps only once. */
export function wasSeenConverged(observation: Observation): boolean {
  return furthestOf(observation) >= RANK.converged;
}

/** It got to the version, which two reads have shown, and it surely is no longer what it was then. */
export function isBad(observation: Observation): boolean {
  if (observation.isBad === true || observation.state === 'taken-back') return true;
  return furthestOf(observation) === CONFIRMED_RANK && isSurelyLost(observation);
}

/** It had converged, and the last read does not speak against that: it shows the version, or no version at all. */
export function isStillLive(observation: Observation): boolean {
  return observation.state === 'converged' && furthestOf(observation) === CONFIRMED_RANK;
}

/** A read showed it converged once, and those since then do not prove that it is not any more. */
export function mayStillBeLive(observation: Observation): boolean {
  return wasSeenConverged(observation) && !isSurelyLost(observation);
}
