import type { Instant } from '../clock.ts';
import { type Endpoint, isFailed, isStopped, targetOf } from '../endpoint/endpoint.ts';
import { hasConverged } from '../endpoint/observation.ts';
import type { Hold } from '../holds/hold.ts';
import { whatQuarantines } from '../holds/what-holds.ts';
import { DEFAULT_POLICY } from '../rollout/default-policy.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { isSelected } from './selection.ts';

/**
 * Why an endpoint is not where the last rollout that succeeded has brought its runtime.
 * - `late`: it was not there yet, or in no list that was read.
 * - `left`: that rollout has succeeded without it.
 * - `failed`: it is on its way there, and its status is a failure.
 * - `moved`: it was there, and something has moved it since.
 */
export type DriftKind = 'late' | 'left' | 'failed' | 'moved';

/** An endpoint that is elsewhere than its runtime. */
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
  /** When a rollout has written to it last since then. `null`: none has, so nobody knows. */
  readonly since: Instant | null;
  /** The rollout that has written to it last since then. `null`: none has. */
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
      readonly compared: number;
      readonly drifted: readonly Drifted[];
    }
  /** No rollout of it has succeeded, as far as the ledger knows. */
  | { readonly state: 'never-rolled' }
  | { readonly state: 'under-way'; readonly rolloutId: string }
  /** What it was brought to is in quarantine: nobody has to follow. */
  | { readonly state: 'quarantined'; readonly version: number };

interface Known {
  readonly runtimeId: string;
  readonly endpoints: readonly Endpoint[];
  /** Rollouts of the runtime that were read whole, the newest first, down to the last one that succeeded. */
  readonly records: readonly AskedRollout[];
  readonly holds: readonly Hold[];
  readonly now: Instant;
}

/** Compares a list with what the last rollout that succeeded has brought. A stopped endpoint is no drift. */
export function findDrift({ runtimeId, endpoints, records, holds, now }: Known): Drift {
  const open = records.find(({ outcome }) => outcome === null);
  if (open !== undefined) return { state: 'under-way', rolloutId: open.request.rolloutId };
  const last = records.find(hasBrought);
  const version = last?.request.desiredVersion ?? null;
  if (last === undefined || version === null) return { state: 'never-rolled' };
  if (whatQuarantines(runtimeId, [version], holds, now).length > 0) {
    return { state: 'quarantined', version };
  }
  const { selection, statuses } = last.request.policy ?? DEFAULT_POLICY;
  const meant = versionsAfter(last);
  const compared = endpoints.flatMap((endpoint) => {
    if (isStopped(endpoint, statuses)) return [];
    const own = meant.get(endpoint.id);
    const isNew = own === undefined;
    // A revert brings each endpoint back to its own version, which says nothing of others.
    const isOfIt = last.request.revert === undefined && isSelected(endpoint, selection);
    const wanted = isNew && isOfIt ? version : (own ?? null);
    return wanted === null ? [] : [{ endpoint, wanted, isNew }];
  });
  const writes = lastWrites(records.slice(0, records.indexOf(last)));
  const drifted = compared.flatMap(({ endpoint, wanted, isNew }): Drifted[] => {
    const { id: endpointId, name, liveVersion } = endpoint;
    const target = targetOf(endpoint) ?? liveVersion;
    const hasFailed = isFailed(endpoint, statuses) && liveVersion !== wanted;
    if (target === wanted && !hasFailed) return [];
    const write = writes.get(endpointId);
    const kindOfOld = (): DriftKind => {
      if (write === undefined && wasLeft(last, endpointId)) return 'left';
      return target === wanted ? 'failed' : 'moved';
    };
    const { at: since, by } = write ?? { at: null, by: null };
    const kind = isNew ? 'late' : kindOfOld();
    return [{ endpointId, name, kind, liveVersion, target, version: wanted, since, by }];
  });
  const { rolloutId } = last.request;
  return {
    ...{ state: 'compared', rolloutId, version, endedAt: last.endedAt },
    ...{ compared: compared.length, drifted },
  };
}

/** Whether it has brought its runtime to a version, be it that nothing was left to do. */
export function hasBrought({ outcome }: Pick<AskedRollout, 'outcome'>): boolean {
  return outcome?.outcome === 'Succeeded';
}

/** The last write to each endpoint, and the rollout that sent it. @param records The newest first. */
function lastWrites(records: readonly AskedRollout[]) {
  return new Map(
    records
      .toReversed()
      .flatMap(({ journal, request }) =>
        journal.map(({ endpointId, at }) => [endpointId, { at, by: request.rolloutId }] as const),
      ),
  );
}

/** Where each endpoint was meant to be after a rollout. `null`: the rollout was not to roll it. */
function versionsAfter({ request, plan }: AskedRollout): ReadonlyMap<string, number | null> {
  const there = request.desiredVersion;
  const known = { 'at-version': there, 'not-selected': null, 'moved-by-service': null } as const;
  const leftOut = request.revert === undefined ? (plan?.leftOut ?? []) : [];
  return new Map([
    ...leftOut.flatMap(({ endpointId, reason }) => {
      const version = (known as Readonly<Record<string, number | null>>)[reason];
      return version === undefined ? [] : [[endpointId, version] as const];
    }),
    ...(plan?.endpoints ?? []).map((one) => [one.endpointId, one.desiredVersion] as const),
  ]);
}

function wasLeft({ plan, progress }: AskedRollout, endpointId: string): boolean {
  const index = plan?.endpoints.findIndex((one) => one.endpointId === endpointId) ?? -1;
  const seen = progress?.observations[index];
  return seen !== undefined && !hasConverged(seen);
}
