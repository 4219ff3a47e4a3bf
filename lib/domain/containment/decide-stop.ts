import { asSaid, type Endpoint, isStopped, type PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { JournalEntry } from '../endpoint/journal.ts';
import type { Observation } from '../endpoint/observation.ts';
import { isForeign, observeEndpoint } from '../endpoint/observe-endpoint.ts';
import { type RollHistory, TARGET_TAKEN, wasSent } from '../endpoint/rolls.ts';
import { matchesGlob } from '../glob.ts';
import type { LeftOutEndpoint, RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import { findAbort, type Signal } from '../rollout/record.ts';
import { mayWrite } from './failure-policies.ts';
import { isServing, leastServing } from './serving.ts';

/** Why an endpoint is not stopped. To keep a stop back is a correct end, not an error. */
export type KeepReason =
  | 'not-rolled'
  | 'vanished'
  | 'went-live'
  | 'live-unknown'
  | 'moved'
  | 'stopped-already'
  | 'recovering'
  | 'protected'
  | 'min-serving'
  | 'list-unreadable'
  | 'cannot-stop'
  | CallOff;

/** Why a stop that was due is not made after all: the rollout was aborted, or it gives way to a newer one. */
export type CallOff = 'aborted' | 'gave-way';

/** The signal that calls off the stops of a rollout, if there is one by now. */
export function findCallOff(signals: readonly Signal[]): CallOff | undefined {
  if (mayWrite('stop', signals)) return undefined;
  return findAbort(signals) === undefined ? 'gave-way' : 'aborted';
}

/** Whether an abort asks for a stop that was called off before: of several aborts the last one counts. */
export function isAskedForAgain(
  { reason }: Pick<JournalEntry, 'reason'>,
  signals: readonly Signal[],
): boolean {
  return CALL_OFFS.has(reason) && findAbort(signals)?.onFailure === 'stop-old';
}

const CALL_OFFS: ReadonlySet<string | undefined> = new Set<CallOff>(['aborted', 'gave-way']);

type StopDecision = { readonly stop: true } | { readonly stop: false; readonly reason: KeepReason };

export interface StopEvidence {
  /** The plan forward, not that of a rollback. */
  readonly plan: Pick<RolloutPlan, 'endpoints' | 'leftOut' | 'restingStatus'>;
  readonly planned: PlannedEndpoint;
  readonly history: RollHistory;
  /** The last observation of the endpoint while its wave was watched: the reason why the endpoint is old. */
  readonly observed: Observation | undefined;
  /** A person aborted the rollout and asked for stops. Then an endpoint is stopped even when nothing has failed. */
  readonly isAskedFor: boolean;
  /** Endpoints whose stop was sent. They do not serve any more, even if an old list says so. */
  readonly stopSent: ReadonlySet<string>;
  /** A complete list of the runtime, read for this one decision. */
  readonly endpoints: readonly Endpoint[];
  /** Milliseconds since the Unix epoch: when it was read. */
  readonly now: number;
}

/**
 * Decides whether an endpoint is an old endpoint that may be stopped. A stop cannot be undone, so any doubt keeps it
 * back.
 */
export function decideStop(evidence: StopEvidence, policy: RolloutPolicy): StopDecision {
  const reason = reasonToKeep(evidence, policy);
  return reason === undefined ? { stop: true } : { stop: false, reason };
}

function reasonToKeep(evidence: StopEvidence, policy: RolloutPolicy): KeepReason | undefined {
  const { planned, observed, endpoints, stopSent, plan } = evidence;
  const { desiredVersion } = planned;
  const endpoint = endpoints.find(({ id }) => id === planned.endpointId);
  if (endpoint === undefined) return 'vanished';
  if (endpoint.liveVersion === desiredVersion) return 'went-live';
  if (isStopped(endpoint, policy.statuses)) return 'stopped-already';
  if (endpoint.liveVersion === null) return 'live-unknown';
  if (wasTakenAway(observed) || isForeign(planned, endpoint)) return 'moved';
  if (!wasRolled(evidence, endpoint)) return 'not-rolled';
  if (wasReverted(evidence, endpoint)) return 'moved';
  if (!evidence.isAskedFor && isRecovering(evidence, endpoint, policy)) return 'recovering';
  if (isProtected(planned, endpoint, policy)) return 'protected';
  // An endpoint that the service moves by itself may go wherever the version goes that is being stopped.
  const notOurs = new Set(
    plan.leftOut.filter(isMovedByService).map(({ endpointId }) => endpointId),
  );
  const ours = endpoints.filter(({ id }) => !notOurs.has(id));
  const othersServing = ours.filter(
    (other) =>
      other !== endpoint && !stopSent.has(other.id) && isServing(other, policy.statuses, plan),
  );
  // The share that has to serve is one of all endpoints of the plan, even if some were deleted meanwhile.
  const inPlan = plan.endpoints.length + plan.leftOut.length - notOurs.size;
  const listed = Math.max(ours.length, inPlan);
  return othersServing.length < leastServing(policy, listed) ? 'min-serving' : undefined;
}

function isMovedByService({ reason }: LeftOutEndpoint): boolean {
  return reason === 'moved-by-service';
}

/**
 * The reason why the rollout failed does not show in the list that was read for this stop, so the endpoint may still
 * get there: its failed status is gone, it is in the list again, or it got further since it stalled.
 */
function isRecovering(
  { planned, history, observed, now }: StopEvidence,
  endpoint: Endpoint,
  { statuses }: RolloutPolicy,
): boolean {
  const evidence = { direction: 'forward', planned, endpoint, history, before: observed } as const;
  // Nobody has watched since the last look.
  const { state } = observeEndpoint({ ...evidence, now, watchedMs: 0 }, statuses);
  const hasFailedNow = state === 'failed' && observed?.state !== 'missing';
  return state !== observed?.state && !hasFailedNow;
}

/** Names and ids are patterns, as they are in a selection. */
function isProtected(
  planned: PlannedEndpoint,
  endpoint: Endpoint,
  { protect }: RolloutPolicy,
): boolean {
  const { id, name } = endpoint;
  // The plan has a name as it is shown, so what counts is what the list says now.
  const names = [id, asSaid(endpoint).name, name, planned.name].filter((each) => each !== null);
  return protect.some((pattern) => names.some((each) => matchesGlob(pattern, each)));
}

/** This rollout rolled the endpoint: the service said so, or we tried to and the target shows it. */
function wasRolled({ planned, history }: StopEvidence, endpoint: Endpoint): boolean {
  if (history.last?.result === 'accepted') return true;
  return wasSent(history) && endpoint.targetVersion === planned.desiredVersion;
}

function wasTakenAway(observed: Observation | undefined): boolean {
  return observed?.state === 'superseded';
}

/**
 * It had taken the desired target, and this read shows an earlier one. Somebody else moved it, and we do not fight
 * over it.
 */
function wasReverted({ planned, observed, history }: StopEvidence, endpoint: Endpoint): boolean {
  const hadTaken = observed?.hadTarget === true || history.last?.reason === TARGET_TAKEN;
  return hadTaken && endpoint.targetVersion !== planned.desiredVersion;
}
