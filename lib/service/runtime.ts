import { createHash } from 'node:crypto';
import type { Fault, ScenarioEndpoint, ScenarioRuntime } from '../contract/scenario.ts';
import type { EndpointRecord } from './endpoint-record.ts';

/** A runtime of the simulated world, as its scenario starts it. */
export function startRuntime(
  { id, version, endpoints, ...defaults }: ScenarioRuntime,
  faults: readonly Fault[],
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

export interface Runtime {
  readonly id: string;
  /** Of endpoints that are created, as are the seconds. */
  readonly replicas: number;
  readonly rollSeconds: number;
  /** Of the whole scenario. */
  readonly faults: readonly Fault[];
  /** By id, in the order of creation. */
  readonly records: Map<string, EndpointRecord>;
  /** The highest version that the runtime was ever asked for. */
  newestVersion: number;
}

/**
 * An endpoint that rests on its version; 0 for one that has none live yet.
 *
 * @param now Milliseconds since the Unix epoch.
 */
export function newRecord(
  runtime: Pick<Runtime, 'id' | 'faults'>,
  { name, version, replicas, rollSeconds }: ScenarioEndpoint,
  now: number,
): EndpointRecord {
  return {
    id: idOf(runtime.id, name),
    runtimeId: runtime.id,
    name,
    replicas,
    rollSeconds,
    faults: runtime.faults.filter((fault) => {
      return fault.endpoint === name && (fault.runtime ?? runtime.id) === runtime.id;
    }),
    restingVersion: version,
    roll: null,
    createdAt: now,
    stoppedAt: null,
  };
}

/** Looks like a UUID (version 8: made by a rule of one's own) and is the same in every run. */
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
