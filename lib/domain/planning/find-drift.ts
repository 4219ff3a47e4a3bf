import type { Instant } from '../clock.ts';
import { type Endpoint, isFailed, isStopped, targetOf } from '../endpoint/endpoint.ts';
import type { WriteResult } from '../endpoint/journal.ts';
import { hasConverged } from '../endpoint/observation.ts';
import type { Hold } from '../holds/hold.ts';
import { pinsFor } from '../holds/pins.ts';
import { whatQuarantines } from '../holds/what-holds.ts';
import { DEFAULT_POLICY } from '../rollout/default-policy.ts';
import type { LeftOutReason } from '../rollout/plan.ts';
import { type AskedRollout, hasBegun } from '../rollout/record.ts';
import { isSelected } from './selection.ts';

/**
 * Why an endpoint is not where the last rollout that succeeded with it has brought it.
 * - `late`: it was not there yet, or in no list that was read.
 * - `left`: that rollout has succeeded without it.
 * - `failed`: it is on its way there, and its status is a failure.
 * - `moved`: it was there, and something has moved it since.
 */
type DriftKind = 'late' | 'left' | 'failed' | 'moved';

/** An endpoint that is elsewhere than it was brought. */
export interface Drifted {
  readonly endpointId: string;
  readonly name: string | null;
  readonly kind: DriftKind;
  /** `null`: the list does not say it. */
  readonly liveVersion: number | null;
  /** Where it is going. `null`: the list does not say it. */
  readonly target: number | null;
  /** Where it should be. */
  readonly version: number;
  /** When a rollout has sent it where it is. `null`: no rollout has, so nobody knows. */
  readonly since: Instant | null;
  /** The rollout that has sent it where it is. `null`: none has. */
  readonly by: string | null;
}

/** What can be said of the drift of a runtime. */
export type Drift =
  | {
      readonly state: 'compared';
      /** The rollout that has succeeded last. */
      readonly rolloutId: string;
      readonly version: number;
      readonly endedAt: Instant | null;
      /** The versions that the endpoints which were compared should be on. */
      readonly versions: readonly number[];
      readonly compared: number;
      /** Endpoints that are pinned: they are left out. */
      readonly pinned: number;
      /** Endpoints that no rollout which was read has brought anywhere. */
      readonly uncompared: number;
      readonly drifted: readonly Drifted[];
    }
  /** No rollout of it has succeeded, as far as the ledger was read. */
  | { readonly state: 'never-rolled' }
  | { readonly state: 'under-way'; readonly rolloutId: string }
  /** What it was brought to is in quarantine: nobody has to follow. */
  | { readonly state: 'quarantined'; readonly version: number };

interface Known {
  readonly runtimeId: string;
  readonly endpoints: readonly Endpoint[];
  /** Rollouts of the runtime at the service that was asked, read whole, the newest first. */
  readonly records: readonly AskedRollout[];
  /** Those of them whose process is dead. */
  readonly dead: ReadonlySet<string>;
  readonly holds: readonly Hold[];
  readonly now: Instant;
}

/**
 * Compares a list with what the rollouts that succeeded have brought: each endpoint with the last one that was about it. A
 * stopped or pinned endpoint is no drift, and nothing is while a rollout rolls.
 */
export function findDrift({ runtimeId, endpoints, records, dead, holds, now }: Known): Drift {
  const open = records.find((record) => {
    // One without a plan has moved nothing, and a dead one moves nothing more.
    return record.outcome === null && hasBegun(record) && !dead.has(record.request.rolloutId);
  });
  if (open !== undefined) return { state: 'under-way', rolloutId: open.request.rolloutId };
  const undone = new Set(records.filter(hasBrought).map(({ request }) => request.revert));
  const good = records.filter((one) => hasBrought(one) && !undone.has(one.request.rolloutId));
  const [last] = good;
  const version = last?.request.desiredVersion ?? null;
  if (last === undefined || version === null) return { state: 'never-rolled' };
  if (whatQuarantines(runtimeId, [version], holds, now).length > 0) {
    return { state: 'quarantined', version };
  }
  const { statuses } = last.request.policy ?? DEFAULT_POLICY;
  const pins = pinsFor({ runtimeId }, holds, now);
  const pinned = endpoints.filter(({ id }) => pins.has(id)).length;
  const running = endpoints.filter(
    (endpoint) => !isStopped(endpoint, statuses) && !pins.has(endpoint.id),
  );
  const compared = running.flatMap((endpoint) => {
    const meant = meantFor(endpoint, good);
    return meant === null ? [] : [{ endpoint, ...meant }];
  });
  const drifted = compared.flatMap(({ endpoint, version: wanted, of, isNew }): Drifted[] => {
    const { id: endpointId, name, liveVersion } = endpoint;
    const target = targetOf(endpoint) ?? liveVersion;
    const hasFailed = isFailed(endpoint, statuses) && liveVersion !== wanted;
    if (target === wanted && !hasFailed) return [];
    const since = records.slice(0, records.indexOf(of));
    const sent = lastSent(endpointId, since);
    const mover = sent !== null && sent.version === target ? sent : null;
    const kindOfOld = (): DriftKind => {
      if (sent === null && wasLeft(of, endpointId)) return 'left';
      return target === wanted ? 'failed' : 'moved';
    };
    const kind = isNew ? 'late' : kindOfOld();
    const by = { since: mover?.at ?? null, by: mover?.by ?? null };
    return [{ endpointId, name, kind, liveVersion, target, version: wanted, ...by }];
  });
  return {
    ...{ state: 'compared', rolloutId: last.request.rolloutId, version, endedAt: last.endedAt },
    versions: [...new Set(compared.map((one) => one.version))],
    ...{ compared: compared.length, uncompared: running.length - compared.length },
    ...{ pinned, drifted },
  };
}

/** Whether it has brought its runtime to a version, be it that nothing was left to do. */
export function hasBrought({ outcome }: Pick<AskedRollout, 'outcome'>): boolean {
  return outcome?.outcome === 'Succeeded';
}

/** Where an endpoint should be, and the rollout that says so. `null`: none does. @param good The newest first. */
function meantFor(endpoint: Endpoint, good: readonly AskedRollout[]) {
  for (const of of good) {
    const own = versionAfter(of, endpoint.id);
    if (own === null) return null;
    if (own !== undefined) return { version: own, of, isNew: false };
  }
  // A revert brings each endpoint back to its own version, which says nothing of others.
  const of = good.find(({ request }) => {
    const { selection } = request.policy ?? DEFAULT_POLICY;
    return request.revert === undefined && isSelected(endpoint, selection);
  });
  const version = of?.request.desiredVersion ?? null;
  const isNamed = good.some((one) =>
    one.plan?.leftOut.some((left) => left.endpointId === endpoint.id),
  );
  return of === undefined || version === null || isNamed ? null : { version, of, isNew: true };
}

/** Endpoints that a rollout has left out for one of these reasons are not what it was about. */
const NOT_ABOUT: ReadonlySet<LeftOutReason> = new Set(['not-selected', 'attribute-unknown']);

/** Where a rollout has meant an endpoint to be. `undefined`: it was not about it. `null`: nobody can say. */
function versionAfter({ request, plan }: AskedRollout, endpointId: string) {
  const planned = plan?.endpoints.find((one) => one.endpointId === endpointId);
  if (planned !== undefined) return planned.desiredVersion;
  const left = plan?.leftOut.find((one) => one.endpointId === endpointId);
  if (left === undefined || NOT_ABOUT.has(left.reason)) return undefined;
  const isMeant = ['at-version', 'stopped', 'pinned'].includes(left.reason);
  return isMeant && request.revert === undefined ? request.desiredVersion : null;
}

/** A write with one of these results may have moved an endpoint. */
const MAY_HAVE_MOVED: ReadonlySet<WriteResult> = new Set(['intended', 'accepted', 'unknown']);

/** The last write of these rollouts that may have moved an endpoint, and where to. @param records The newest first. */
function lastSent(endpointId: string, records: readonly AskedRollout[]) {
  for (const { journal, request, plan, rollback } of records) {
    const write = journal.findLast((line) => {
      return line.endpointId === endpointId && MAY_HAVE_MOVED.has(line.result);
    });
    if (write === undefined) continue;
    const leg = write.operation === 'roll-back' ? rollback?.plan : plan;
    const version = leg?.endpoints.find((one) => one.endpointId === endpointId)?.desiredVersion;
    return { at: write.at, by: request.rolloutId, version: version ?? null };
  }
  return null;
}

function wasLeft({ plan, progress }: AskedRollout, endpointId: string): boolean {
  const index = plan?.endpoints.findIndex((one) => one.endpointId === endpointId) ?? -1;
  const seen = progress?.observations[index];
  const left = plan?.leftOut.find((one) => one.endpointId === endpointId);
  if (left?.reason === 'pinned') return true;
  return seen !== undefined && !hasConverged(seen);
}
