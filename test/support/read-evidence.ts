import {
  type Endpoint,
  isFailed,
  type PlannedEndpoint,
  type StatusWords,
  targetOf,
} from '../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout, RolloutRecord } from '../../lib/domain/rollout/record.ts';
import { type Call, isList, type ListCall, type WriteCall } from '../../lib/rehearsal/calls.ts';

/** Rolls of one endpoint in one direction that may have been carried out. */
export const MAX_ROLLS = 2;

/** Refusals that are worth another try. */
export const MAY_PASS: ReadonlySet<string> = new Set([
  'PermissionMissing',
  'UpstreamAuth',
  'UpstreamConflict',
  'UpstreamNotFound',
  'UpstreamThrottled',
  'UpstreamTimeout',
  'UpstreamTransient',
]);

/** Answers which say for certain that nothing was carried out. */
export const REFUSED: ReadonlySet<string> = new Set([...MAY_PASS, 'UpstreamRejected']);

/** The endpoints of the plan that is followed, by id. */
export function wayOf(
  { plan, rollback }: RolloutRecord,
  isBack: boolean,
): ReadonlyMap<string, PlannedEndpoint> {
  const { endpoints = [] } = (isBack ? rollback?.plan : plan) ?? {};
  return new Map(endpoints.map((planned) => [planned.endpointId, planned]));
}

/** The endpoints of a list by their ids. */
export function byId(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  // Each list is looked into many times before the next one.
  if (endpoints !== latest.endpoints) {
    latest = { endpoints, index: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])) };
  }
  return latest.index;
}

let latest: Indexed = { endpoints: [], index: new Map() };

interface Indexed {
  readonly endpoints: readonly Endpoint[];
  readonly index: ReadonlyMap<string, Endpoint>;
}

/**
 * To any other version than the desired one. An endpoint that was on the desired version before goes there both ways:
 * its rolls are on the way back once the ledger has a plan for that.
 */
export function isRollBack(
  { operation, version, endpointId, at }: WriteCall,
  { request, plan }: Pick<AskedRollout, 'request' | 'plan'>,
  turnedAt: number | null,
): boolean {
  const find = () => plan?.endpoints.find((one) => one.endpointId === endpointId);
  // Only a rollout that undoes another one has a version for each endpoint.
  const desired = request.revert === undefined ? request.desiredVersion : find()?.desiredVersion;
  if (operation !== 'roll' || version !== desired) return operation === 'roll';
  if (turnedAt === null || at < turnedAt) return false;
  return find()?.previousVersion === desired;
}

/** By the usual words of services, whatever the policy says. */
export function isBad({ status }: Pick<Endpoint, 'status'>): boolean {
  return FAILED.test(status ?? '');
}

export function isAtStop({ status }: Pick<Endpoint, 'status'>): boolean {
  return status?.startsWith('STOPP') === true;
}

/** A list with at least half of the endpoints that there were when the plan was made: any other proves nothing. */
export function isWhole({ endpoints }: ListCall, { plan }: Pick<AskedRollout, 'plan'>): boolean {
  if (endpoints === null) return false;
  const known = [...(plan?.endpoints ?? []), ...(plan?.leftOut ?? [])];
  const rows = byId(endpoints);
  return 2 * known.filter(({ endpointId }) => rows.has(endpointId)).length >= known.length;
}

/** What it has let go of on its way forward, because it was pinned meanwhile. A judge of pins says whether it was. */
export function letGoIn({
  plan,
  progress,
  rollback,
}: Pick<AskedRollout, 'plan' | 'progress' | 'rollback'>): ReadonlySet<string> {
  const seen = rollback?.seen ?? progress?.observations ?? [];
  const ids = seen.flatMap(({ isPinned }, place) =>
    isPinned ? [plan?.endpoints[place]?.endpointId ?? ''] : [],
  );
  return new Set(ids);
}

export function hasLetGo({ record }: { readonly record: AskedRollout | null }): boolean {
  return record !== null && letGoIn(record).size > 0;
}

/** The waves of a plan, without what was let go of. */
export function wavesWithoutPinned(record: RolloutRecord): readonly (readonly PlannedEndpoint[])[] {
  const letGo = letGoIn(record);
  const { endpoints = [], waves = [] } = record.plan ?? {};
  return waves.map(({ from, to }) => {
    return endpoints.slice(from, to).filter(({ endpointId }) => !letGo.has(endpointId));
  });
}

/** All of the wave, but for as many as the policy allows to be lost. */
export function allConverged(
  { endpoints }: ListCall,
  wave: readonly PlannedEndpoint[],
  { failureThreshold }: Pick<RolloutPolicy, 'failureThreshold'>,
): boolean {
  const rows = new Map((endpoints ?? []).map((endpoint) => [endpoint.id, endpoint]));
  const missing = wave.filter(({ endpointId, desiredVersion }) => {
    const row = rows.get(endpointId);
    return row === undefined || !hasConverged(row, desiredVersion);
  }).length;
  const allowed =
    'endpoints' in failureThreshold
      ? failureThreshold.endpoints
      : (failureThreshold.percent * wave.length) / 100;
  return missing <= allowed && (missing === 0 || missing < wave.length);
}

export function hasConverged(endpoint: Endpoint, desiredVersion: number | undefined): boolean {
  const { liveVersion, replicas } = endpoint;
  const isThere = targetOf(endpoint) === desiredVersion && liveVersion === desiredVersion;
  return isThere && replicas !== 0;
}

/** A target that was neither there before the plan nor asked for by it, or such a live version without our target. */
export function isForeign(
  { targetVersion, liveVersion }: Endpoint,
  planned: PlannedEndpoint | undefined,
): boolean {
  if (planned === undefined || targetVersion === planned.desiredVersion) return false;
  const { desiredVersion, previousVersion, previousTarget } = planned;
  return [targetVersion, liveVersion].some(
    (version) =>
      Number(version) > 0 && ![desiredVersion, previousVersion, previousTarget].includes(version),
  );
}

/** The lists that were read after the first roll of an endpoint, or after it was noted that it may have been sent. */
export function listsSinceRoll(
  calls: readonly Call[],
  { endpointId, desiredVersion }: PlannedEndpoint,
  { journal }: Pick<RolloutRecord, 'journal'>,
): ListCall[] {
  const rolls = journal.filter(
    (entry) => entry.operation === 'roll' && entry.endpointId === endpointId,
  );
  const [noted] = rolls;
  // Whoever died in it knows no answer, so what is noted next is another roll.
  const unanswered = rolls.find(({ result }, nth) => {
    return result === 'intended' && rolls[nth + 1]?.result === 'intended';
  });
  const rolled = calls.findIndex(
    (call) =>
      call.operation === 'roll' &&
      call.endpointId === endpointId &&
      call.version === desiredVersion,
  );
  // A step that dies just before its roll has only noted it, and may have sent it.
  const isSince = (call: Call, index: number) => {
    if (rolled < 0) return noted !== undefined && call.at >= noted.at;
    return index > rolled || (unanswered !== undefined && call.at > unanswered.at);
  };
  return calls.filter(isSince).filter(isList);
}

/**
 * Whether a list shows what no list from before the roll can show: the endpoint is on its way to the version, or live on
 * it.
 */
export function isMovingAnew(
  { endpoints }: ListCall,
  { endpointId, desiredVersion, previousVersion, previousTarget }: PlannedEndpoint,
): boolean {
  const wasElsewhere = (version: number | null) => version !== null && version !== desiredVersion;
  const row = byId(endpoints ?? []).get(endpointId);
  if (row === undefined) return false;
  return row.liveVersion === desiredVersion
    ? wasElsewhere(previousVersion)
    : row.targetVersion === desiredVersion && wasElsewhere(previousTarget);
}

/** Whether a list shows without a failed status what had none before the rollout. */
export function isHaleIn(
  { endpoints }: ListCall,
  { endpointId, wrongBefore }: PlannedEndpoint,
  statuses: StatusWords,
): boolean {
  const row = byId(endpoints ?? []).get(endpointId);
  return row !== undefined && !wrongBefore.includes('failed') && !isFailed(row, statuses);
}

/** It is on its way, or its status says that something is done with it. */
export function isAtWork(row: Endpoint): boolean {
  const isOnItsWay = row.targetVersion !== null && row.targetVersion !== row.liveVersion;
  return (
    (isOnItsWay || /^(UPDATING|WAITING_.*)$/.test(row.status ?? '')) &&
    !FAILED.test(row.status ?? '')
  );
}

const FAILED = /(^|_)(FAILED|ERROR)$/;

/** The last list before a write showed that the service was at work on the endpoint. */
export function wasAtWork(calls: readonly Call[], endpointId: string, at: number): boolean {
  const list = calls.findLast((call) => isList(call) && call.at <= at && call.endpoints !== null);
  const row =
    list && isList(list) ? list.endpoints?.find(({ id }) => id === endpointId) : undefined;
  return row !== undefined && isAtWork(row);
}
