import type { Endpoint } from '../endpoint.ts';
import type { StatusWords } from '../policy.ts';
import type { EndpointState, Observation, PlannedEndpoint } from '../rollout.ts';
import { isConverged, isFailed, isStopped } from '../status.ts';
import { isRefused, type RollHistory, wasSent } from './roll-history.ts';

/** What a rollout wants of its endpoints. */
export interface Goal {
  readonly desiredVersion: number;
  readonly statuses: StatusWords;
}

/** Everything that is known of one endpoint when it is judged. */
export interface Evidence {
  readonly planned: PlannedEndpoint;
  /** The endpoint in a complete read of the list; `undefined` when it is not in there. */
  readonly endpoint: Endpoint | undefined;
  readonly history: RollHistory;
  /** What the read before this one said; `undefined` at the wave's first read. */
  readonly before: Observation | undefined;
}

/** Adds one complete read to what the reads before it said. */
export function observeEndpoint(evidence: Evidence, goal: Goal): Observation {
  const { before } = evidence;
  const state = before?.state === 'superseded' ? 'superseded' : stateOf(evidence, goal);
  const reads = before?.state === state ? before.reads + 1 : 1;
  const hadTarget =
    before?.hadTarget === true || evidence.endpoint?.targetVersion === goal.desiredVersion;
  return { state, reads, ...(hadTarget && { hadTarget }) };
}

function stateOf(evidence: Evidence, goal: Goal): EndpointState {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined) return 'missing';
  if (isForeignTarget(planned, endpoint, goal.desiredVersion)) return 'superseded';
  if (isConverged(endpoint, goal.desiredVersion, goal.statuses)) return 'converged';
  if (isStopped(endpoint, goal.statuses)) return 'failed';
  if (isFailed(endpoint, goal.statuses) && wasSent(history) && !planned.failedBefore) {
    return 'failed';
  }
  if (endpoint.targetVersion === goal.desiredVersion) return 'progressing';
  if (isRefused(history)) return 'failed';
  return stateBeforeTarget(evidence);
}

/** The target does not show the desired version: not yet, or no longer. */
function stateBeforeTarget({ endpoint, history, before }: Evidence): EndpointState {
  if (before?.hadTarget === true) {
    if (endpoint?.targetVersion === null) return 'progressing';
    return before.state === 'reverted' ? 'superseded' : 'reverted';
  }
  return wasSent(history) ? 'requested' : 'pending';
}

/** A target that was neither there before the rollout nor asked for by it: somebody else's. */
export function isForeignTarget(
  planned: PlannedEndpoint,
  { targetVersion }: Endpoint,
  desiredVersion: number,
): boolean {
  return (
    targetVersion !== null &&
    targetVersion !== desiredVersion &&
    targetVersion !== planned.previousVersion &&
    targetVersion !== planned.previousTarget
  );
}
