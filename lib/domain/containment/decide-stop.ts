import type { Watched } from '../clock.ts';
import type { Attempts } from '../endpoint/attempts.ts';
import { fits } from '../endpoint/attributes.ts';
import {
  asSaid,
  type Endpoint,
  isFailed,
  isStopped,
  type PlannedEndpoint,
  targetOf,
} from '../endpoint/endpoint.ts';
import { LEGS } from '../endpoint/leg.ts';
import { hasGotTo, isLetGo, isTakenAway, type Observation } from '../endpoint/observation.ts';
import { isForeign, observeEndpoint } from '../endpoint/observe-endpoint.ts';
import { wasSent } from '../endpoint/rolls.ts';
import { isNoAccess } from '../error-meanings.ts';
import { matchesGlob } from '../glob.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRecord } from '../rollout/record.ts';
import { isServing, leastServing } from './serving.ts';

/** Why an endpoint is not stopped, in words for people. To keep a stop back is a correct end, not an error. */
const KEPT_BECAUSE = {
  'not-rolled': 'nothing was rolled there',
  'never-seen-moving': 'no list has shown the roll',
  vanished: 'gone from the list',
  'went-live': 'the version is live there',
  'live-unknown': 'the list does not say where it is',
  moved: 'moved meanwhile, and not by this rollout',
  'stopped-already': 'stopped already',
  recovering: 'on its way again',
  protected: 'protected by the policy',
  pinned: 'pinned',
  'min-serving': 'too few others serve',
  'list-unreadable': 'the list could not be read',
  'cannot-stop': 'its service cannot stop any',
};
export type KeepReason = keyof typeof KEPT_BECAUSE;

const CALLED_OFF = {
  aborted: 'an abort came before it',
  'gave-way': 'a newer rollout goes on with it',
};
/** By its reason, why a stop was kept back, in words for people. */
export const KEPT_WORDS: Readonly<Record<string, string>> = { ...KEPT_BECAUSE, ...CALLED_OFF };
const WORDS = new Map(Object.entries(KEPT_WORDS));

/** Why a stop was kept back: what the list has shown, or who came before it. */
export type WhyKept = KeepReason | keyof typeof CALLED_OFF;

/** A reason that a newer steproll has written is shown as it is. */
export function keptBecause(reason = 'no reason was written down'): string {
  return WORDS.get(reason) ?? reason;
}

type StopDecision = { readonly stop: true } | { readonly stop: false; readonly reason: KeepReason };

export interface StopEvidence {
  /** The plan forward, not that of a rollback. */
  readonly plan: Pick<RolloutPlan, 'endpoints' | 'leftOut' | 'restingStatus'>;
  readonly planned: PlannedEndpoint;
  readonly history: Attempts;
  /** The last observation of the endpoint while its wave was watched: the reason why the endpoint is old. */
  readonly observed: Observation | undefined;
  /** A person aborted the rollout and asked for stops. Then an endpoint is stopped even when nothing has failed. */
  readonly isAskedFor: boolean;
  /** Somebody has pinned it. */
  readonly isPinned: boolean;
  /** Endpoints whose stop was sent. They do not serve any more, even if an old list says so. */
  readonly stopSent: ReadonlySet<string>;
  /** A complete list of the runtime, read for this one decision. */
  readonly endpoints: readonly Endpoint[];
  readonly now: Watched;
}

/** Whether an old endpoint may be stopped. A stop cannot be undone, so any doubt keeps it back. */
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
  if (isUntold(observed, endpoint)) return 'live-unknown';
  if (wasTaken(evidence, endpoint)) return 'moved';
  if (!wasSent(evidence.history)) return 'not-rolled';
  if (wasReverted(evidence, endpoint)) return 'moved';
  if (!wasSeenMoving(evidence, endpoint, policy)) return 'never-seen-moving';
  if (!evidence.isAskedFor && isRecovering(evidence, endpoint, policy)) return 'recovering';
  if (isProtected(planned, endpoint, policy)) return 'protected';
  if (wasPinned(evidence)) return 'pinned';
  // An endpoint that the service moves by itself may go wherever the version goes that is being stopped.
  const moved = plan.leftOut.filter(({ reason }) => reason === 'moved-by-service');
  const notOurs = new Set(moved.map(({ endpointId }) => endpointId));
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

function wasTaken({ planned, observed }: StopEvidence, endpoint: Endpoint): boolean {
  return (observed !== undefined && isTakenAway(observed)) || isForeign(planned, endpoint);
}

/** It is pinned, or was let go of for that reason. */
function wasPinned({ isPinned, observed }: StopEvidence): boolean {
  return isPinned || (observed !== undefined && isLetGo(observed));
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
  const evidence = { leg: LEGS.forward, planned, endpoint, history, before: observed };
  const { state } = observeEndpoint({ ...evidence, now }, statuses);
  const hasFailedNow = state === 'failed' && observed?.state !== 'missing';
  return state !== observed?.state && !hasFailedNow;
}

function isProtected(
  planned: PlannedEndpoint,
  endpoint: Endpoint,
  { protect }: RolloutPolicy,
): boolean {
  // The plan has a name as it is shown, so what counts is what the list says now.
  const { name, attributes = {} } = planned;
  return protect.some((one) => {
    if (typeof one === 'string') {
      return protects(one, endpoint) || (name !== null && matchesGlob(one, name));
    }
    // What nobody has said may be what is protected.
    const now = asSaid(endpoint).attributes ?? {};
    return [{ attributes }, { attributes: now }].some((each) => fits(each, one.where) !== 'no');
  });
}

/** Names and ids are patterns, where a selection takes ids as they are: in doubt an endpoint is protected. */
export function protects(pattern: string, endpoint: Endpoint): boolean {
  const { id, name } = endpoint;
  const names = [id, asSaid(endpoint).name, name].filter((each) => each !== null);
  return names.some((each) => matchesGlob(pattern, each));
}

/**
 * A list has shown what the roll does: the endpoint was on its way or live on the version, or it has failed since then.
 * What the plan knew already proves nothing, because an old list shows the same. Nor does the answer to the roll: the
 * service may drop a roll that it has accepted.
 */
function wasSeenMoving(
  { planned, observed }: StopEvidence,
  endpoint: Endpoint,
  { statuses }: RolloutPolicy,
): boolean {
  const { desiredVersion, previousVersion, previousTarget, wrongBefore } = planned;
  const isOther = (version: number | null) => version !== null && version !== desiredVersion;
  if (isOther(previousTarget) && endpoint.targetVersion === desiredVersion) return true;
  if (observed === undefined) return false;
  if (isOther(previousVersion) && hasGotTo('converged', observed)) return true;
  const hasFailed = isFailed(endpoint, statuses) && !wrongBefore.includes('failed');
  return hasFailed && hasGotTo('requested', observed);
}

/** What is live there, or where it goes, although a list has told that before. */
function isUntold(observed: Observation | undefined, endpoint: Endpoint): boolean {
  const isTargetDue = observed?.hadTarget === true;
  return endpoint.liveVersion === null || (isTargetDue && targetOf(endpoint) === null);
}

/** A list had shown it at the desired target, and this one shows another one. Nobody knows who did that. */
function wasReverted({ planned, observed }: StopEvidence, endpoint: Endpoint): boolean {
  if (observed === undefined || endpoint.targetVersion === planned.desiredVersion) return false;
  return observed.hadTarget === true || hasGotTo('progressing', observed);
}

/** The function of a batch of stops has 600 s, and its stops need the rest. */
const LONGEST_WAIT_SECONDS = 300;

/**
 * Milliseconds until a batch of stops that nobody lets in tries again; 0: it has waited for as long as the progress
 * deadline, or for 5 minutes. Another batch that comes after that does not wait once more.
 *
 * @param begunAt When the batch began, in milliseconds since the Unix epoch.
 */
export function accessWaitMs(
  { request, journal }: Pick<RolloutRecord, 'request' | 'journal'>,
  begunAt: number,
  now: number,
): number {
  const { pollSeconds, progressDeadlineSeconds } = request.policy;
  const last = journal.findLast(({ operation, at }) => operation === 'stop' && at < begunAt);
  const hasWaited = isNoAccess(last?.reason ?? '') || last?.reason === UNREADABLE;
  if (hasWaited) return 0;
  const leftMs = begunAt + Math.min(progressDeadlineSeconds, LONGEST_WAIT_SECONDS) * 1000 - now;
  return Math.max(0, Math.min(pollSeconds * 1000, leftMs));
}

const UNREADABLE: KeepReason = 'list-unreadable';
