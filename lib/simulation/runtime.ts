import { createHash } from 'node:crypto';
import type { EndpointRecord } from './endpoint.ts';
import type { ScenarioEndpoint, ScenarioRuntime, SimulatedFault } from './scenario.ts';

export interface Runtime {
  readonly id: string;
  /** Replicas of endpoints that are created later. `rollSeconds` is for them too. */
  readonly replicas: number;
  readonly rollSeconds: number;
  readonly versions?: ScenarioRuntime['versions'];
  /** The faults of the whole scenario. */
  readonly faults: readonly SimulatedFault[];
  /** The endpoints by their ids, in the order of creation. */
  readonly records: Map<string, EndpointRecord>;
  /** The highest version that the runtime was ever asked for. */
  newestVersion: number;
}

export function startRuntime(
  { id, version, endpoints, ...defaults }: ScenarioRuntime,
  faults: readonly SimulatedFault[],
  now: number,
): Runtime {
  const runtime = { id, ...defaults, faults, records: new Map<string, EndpointRecord>() };
  for (const endpoint of endpoints) {
    const record = newRecord(runtime, endpoint, now);
    runtime.records.set(record.id, record);
  }
  return {
    ...runtime,
    newestVersion: endpoints.reduce((newest, one) => Math.max(newest, one.version), version),
  };
}

/** An endpoint that rests on its version. The version is 0 when none is live yet. */
export function newRecord(
  runtime: Pick<Runtime, 'id' | 'faults'>,
  { name, version, replicas, rollSeconds, listed, isStopped = false }: ScenarioEndpoint,
  now: number,
): EndpointRecord {
  const { targetVersion = null } = listed ?? {};
  const isOnItsWay = targetVersion !== null && targetVersion !== version;
  return {
    id: listed?.id ?? idOf(runtime.id, name),
    runtimeId: runtime.id,
    name,
    replicas,
    rollSeconds,
    faults: runtime.faults.filter((fault) => {
      return fault.endpoint === name && (fault.runtime ?? runtime.id) === runtime.id;
    }),
    restingVersion: version,
    roll: isOnItsWay ? { version: targetVersion, startedAt: now } : null,
    listed,
    createdAt: now,
    stoppedAt: isOnItsWay && isStopped ? now : null,
  };
}

/** An id that looks like a UUID (version 8, which is for custom rules) and is the same in every run. */
function idOf(runtimeId: string, name: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([runtimeId, name]))
    .digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
