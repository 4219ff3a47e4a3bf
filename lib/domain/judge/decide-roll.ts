import type { Endpoint } from '../endpoint.ts';
import type { PlannedEndpoint } from '../rollout.ts';
import { isForeignTarget } from './observe-endpoint.ts';
import { type RollHistory, wasSent } from './roll-history.ts';

/**
 * - `roll`: send it.
 * - `found-rolled`: we meant to roll it, never learned what came of it, and its target shows it.
 * - `leave`: nothing to send. It is there already, gone, somebody else's, or the answer to an
 *   earlier roll is still out.
 */
export type RollDecision = 'roll' | 'found-rolled' | 'leave';

export interface RollEvidence {
  readonly planned: PlannedEndpoint;
  /** The endpoint in a list read just now. */
  readonly endpoint: Endpoint | undefined;
  readonly history: RollHistory;
}

/** Decides whether an endpoint is rolled, from a list that was read for this decision. */
export function decideRoll(evidence: RollEvidence, desiredVersion: number): RollDecision {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined || isForeignTarget(planned, endpoint, desiredVersion)) return 'leave';
  const isInDoubt = wasSent(history) && history.last?.result !== 'accepted';
  if (endpoint.targetVersion === desiredVersion) return isInDoubt ? 'found-rolled' : 'leave';
  return wasSent(history) ? 'leave' : 'roll';
}
