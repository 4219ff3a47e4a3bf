import { matchesGlob } from '../glob.ts';

/** One read of one endpoint. `null` means that the service did not say; it is never guessed. */
export interface Endpoint {
  readonly id: string;
  readonly name: string | null;
  /** The version that the service calls the endpoint's own. Informative: no decision uses it. */
  readonly version: number | null;
  /** What the service says the endpoint is moving to. */
  readonly targetVersion: number | null;
  /** What the service says is serving now. Some services say 0 before the first version is live. */
  readonly liveVersion: number | null;
  readonly replicas: number | null;
  readonly url: string | null;
  readonly status: string | null;
}

/** One page of a list. `null` means that the service did not say. */
export interface EndpointPage {
  readonly endpoints: readonly Endpoint[];
  readonly page: number | null;
  readonly size: number | null;
  readonly totalPages: number | null;
  readonly totalEndpoints: number | null;
}

const LONGEST_ID = 256;

/**
 * Why an id, of a runtime or an endpoint, cannot stand as one segment of a path; `null` when it can.
 * Ids are opaque, but `..` stays `..` when encoded and would address something else.
 */
export function faultOfId(id: string): string | null {
  if (id === '') {
    return 'it is empty';
  }
  if (id.length > LONGEST_ID) {
    return `it is longer than ${LONGEST_ID} characters`;
  }
  if (id === '.' || id === '..') {
    return 'it would address another path';
  }
  if (/\p{Cc}/u.test(id)) {
    return 'it has control characters';
  }
  return id.isWellFormed() ? null : 'it has half a surrogate pair';
}

/** Status words of the service, compared without case; `*` stands for any run of characters. */
export interface StatusWords {
  readonly failed: readonly string[];
  readonly stopped: readonly string[];
  /** Of endpoints that certainly answer their callers. */
  readonly serving: readonly string[];
}

/** An endpoint of a frozen plan, as it was before the plan's first write. */
export interface PlannedEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  /** Where the plan takes it: the rollout's desired version, or on the way back its previous one. */
  readonly desiredVersion: number;
  /** Live version before the plan: the destination of a rollback. */
  readonly previousVersion: number | null;
  /** Target version before the plan; differs from `previousVersion` when it was in mid-roll. */
  readonly previousTarget: number | null;
  /** It had a failed status before the rollout touched it, so that status alone proves nothing. */
  readonly failedBefore: boolean;
  /** It had 0 replicas before the rollout touched it, so that on the way back it may have none again. */
  readonly wasDark?: true;
  /** On the way back: reads showed a failed status when it began, so it goes at once and may stay broken. */
  readonly isBroken?: true;
  /** On the way back: reads showed it neither live nor broken when it began, so it may be lost on its way. */
  readonly isUnsettled?: true;
}

/** A status that is a known failure. An unknown or missing status is neither good nor bad. */
export function isFailed(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(endpoint.status, statuses.failed);
}

export function isStopped(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(endpoint.status, statuses.stopped);
}

/**
 * target = live = desired, the status is neither a known failure nor stopped, and not known to have 0 replicas.
 * Fewer of them than before are no failure: that may be autoscaling, and nothing says how many there should be.
 */
export function isConverged(
  endpoint: Endpoint,
  desiredVersion: number,
  statuses: StatusWords,
): boolean {
  return (
    endpoint.targetVersion === desiredVersion &&
    endpoint.liveVersion === desiredVersion &&
    endpoint.replicas !== 0 &&
    !isFailed(endpoint, statuses) &&
    !isStopped(endpoint, statuses)
  );
}

/** Whether a status is one of these words; one that is not shown is none. */
export function matchesAny(status: string | null, words: readonly string[]): boolean {
  if (status === null) return false;
  const folded = status.toLowerCase();
  return words.some((word) => matchesGlob(word.toLowerCase(), folded));
}
