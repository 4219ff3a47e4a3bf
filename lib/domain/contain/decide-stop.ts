import type { Endpoint } from '../endpoint.ts';
import { isForeign } from '../judge/observe-endpoint.ts';
import { type RollHistory, TARGET_TAKEN, wasSent } from '../judge/roll-history.ts';
import type { Observation } from '../observation.ts';
import type { RolloutPolicy } from '../policy.ts';
import type { PlannedEndpoint } from '../rollout-plan.ts';
import { isServing, isStopped } from '../status.ts';

/** Why an endpoint is not stopped. Keeping a stop back is a correct end, not an error. */
export type KeepReason =
  | 'not-rolled'
  | 'vanished'
  | 'went-live'
  | 'live-unknown'
  | 'moved'
  | 'stopped-already'
  | 'protected'
  | 'min-serving'
  | 'list-unreadable';

export type StopDecision =
  | { readonly stop: true }
  | { readonly stop: false; readonly reason: KeepReason };

export interface StopEvidence {
  readonly planned: PlannedEndpoint;
  readonly history: RollHistory;
  /** The last thing that was observed of it while its wave was watched. */
  readonly observed: Observation | undefined;
  /** Endpoints whose stop was sent: they do not serve any more, whatever an old list says. */
  readonly stopSent: ReadonlySet<string>;
  /** A complete list of the runtime, read for this one decision. */
  readonly endpoints: readonly Endpoint[];
}

/**
 * Decides whether an endpoint is an old endpoint that may be stopped. A stop cannot be undone, so
 * every doubt keeps it back.
 */
export function decideStop(evidence: StopEvidence, policy: RolloutPolicy): StopDecision {
  const reason = reasonToKeep(evidence, policy);
  return reason === undefined ? { stop: true } : { stop: false, reason };
}

function reasonToKeep(evidence: StopEvidence, policy: RolloutPolicy): KeepReason | undefined {
  const { planned, observed, endpoints, stopSent } = evidence;
  const { desiredVersion } = planned;
  const endpoint = endpoints.find(({ id }) => id === planned.endpointId);
  if (endpoint === undefined) return 'vanished';
  if (endpoint.liveVersion === desiredVersion) return 'went-live';
  if (isStopped(endpoint, policy.statuses)) return 'stopped-already';
  if (endpoint.liveVersion === null) return 'live-unknown';
  if (wasTakenAway(observed) || isForeign(planned, endpoint)) return 'moved';
  if (!wasRolled(evidence, endpoint)) return 'not-rolled';
  if (wasReverted(evidence, endpoint)) return 'moved';
  const names = [endpoint.id, endpoint.name, planned.name];
  if (policy.protect.some((word) => names.includes(word))) return 'protected';
  const othersServing = endpoints.filter(
    (other) => other !== endpoint && !stopSent.has(other.id) && isServing(other, policy.statuses),
  );
  return othersServing.length < policy.minServing ? 'min-serving' : undefined;
}

/** Rolled by this rollout: the service said so, or we tried and its target shows it. */
function wasRolled({ planned, history }: StopEvidence, endpoint: Endpoint): boolean {
  if (history.last?.result === 'accepted') return true;
  return wasSent(history) && endpoint.targetVersion === planned.desiredVersion;
}

function wasTakenAway(observed: Observation | undefined): boolean {
  return observed?.state === 'superseded';
}

/** It had taken the desired target, and this read shows an earlier one: do not fight over it. */
function wasReverted({ planned, observed, history }: StopEvidence, endpoint: Endpoint): boolean {
  const hadTaken = observed?.hadTarget === true || history.last?.reason === TARGET_TAKEN;
  return hadTaken && endpoint.targetVersion !== planned.desiredVersion;
}
