import type { EndpointRecord } from './endpoint-record.ts';
import { type Status, stateAt } from './simulate-roll.ts';

/**
 * The row that the service shows of an endpoint, or `null` once it has vanished.
 *
 * @param now Milliseconds since the Unix epoch.
 */
export function rowAt(endpoint: EndpointRecord, now: number): EndpointRow | null {
  const state = stateAt(endpoint, now);
  if (state === null) {
    return null;
  }
  return {
    id: endpoint.id,
    agentRuntimeId: endpoint.runtimeId,
    name: endpoint.name,
    version: state.liveVersion === 0 ? state.targetVersion : state.liveVersion,
    targetVersion: state.targetVersion,
    liveVersion: state.liveVersion,
    currentReplicaCount: state.replicas,
    url: `http://127.0.0.1/endpoints/${endpoint.id}`,
    status: state.status,
    displayStatus: DISPLAY_STATUS[state.status],
    createdAt: new Date(endpoint.createdAt).toISOString(),
    updatedAt: new Date(state.changedAt).toISOString(),
  };
}

/** An endpoint as it goes over the wire. */
export interface EndpointRow {
  readonly id: string;
  readonly agentRuntimeId: string;
  readonly name: string;
  /** The live version, or the target while none is live yet. */
  readonly version: number;
  readonly targetVersion: number;
  /** 0 before the first version is live. */
  readonly liveVersion: number;
  /** Replicas that are up, of the old version or the new one. */
  readonly currentReplicaCount: number;
  readonly url: string;
  readonly status: Status;
  readonly displayStatus: string;
  /** RFC 3339, as is `updatedAt`: the last write, or the last change of what is live. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

const DISPLAY_STATUS: Readonly<Record<Status, string>> = {
  ACTIVE: 'Active',
  WAITING_ROLLOUT: 'Waiting for rollout',
  ERROR: 'Error',
  STOPPED: 'Stopped',
};
