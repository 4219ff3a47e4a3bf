import type { Instant } from '../domain/clock.ts';
import type { Attributes } from '../domain/endpoint/attributes.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { type SimulatedFault, STATUSES, type Status, type Words } from './scenario.ts';

/**
 * The state of an endpoint now, or `null` once it has vanished.
 *
 * A roll replaces the replicas in place, one at a time, in equal shares of its seconds. In the first half of a share
 * the old replica is down already and the new one is not up yet, so the replica count is one lower; in the second
 * half it is complete again. A created endpoint has nothing to replace: its count rises from 0. The live version
 * changes last, together with the status. A stop freezes an endpoint as it was, with 0 replicas.
 */
function stateAt(endpoint: EndpointRecord, now: Instant): EndpointState | null {
  const { roll, stoppedAt } = endpoint;
  const quiet =
    roll === null ? restingState(endpoint) : rolledState(endpoint, roll, stoppedAt ?? now);
  const isAtWork = quiet?.status === 'ACTIVE' && busyWith(endpoint, now) !== undefined;
  const state: EndpointState | null = isAtWork ? { ...quiet, status: 'UPDATING' } : quiet;
  if (state === null || stoppedAt === null) return state;
  return { ...state, replicas: 0, status: 'STOPPED', statusReason: null, changedAt: stoppedAt };
}

/** What the service does with the endpoint now, besides rolls. */
export function busyWith(
  { faults, createdAt }: Pick<EndpointRecord, 'faults' | 'createdAt'>,
  now: number,
): Extract<SimulatedFault, { kind: 'busy' }> | undefined {
  const elapsedSeconds = (now - createdAt) / 1_000;
  return faults.find(
    (fault): fault is Extract<SimulatedFault, { kind: 'busy' }> =>
      fault.kind === 'busy' &&
      elapsedSeconds >= fault.fromSecond &&
      elapsedSeconds < fault.fromSecond + fault.seconds,
  );
}

interface EndpointState {
  readonly targetVersion: number;
  readonly liveVersion: number;
  /** Replicas that are up, of the old version or the new one. */
  readonly replicas: number;
  readonly status: Status;
  readonly statusReason: string | null;
  /** The time of the last write, or of the last change of what is live. */
  readonly changedAt: number;
}

function restingState({ restingVersion, replicas, createdAt }: EndpointRecord): EndpointState {
  return {
    targetVersion: restingVersion,
    liveVersion: restingVersion,
    replicas,
    status: 'ACTIVE',
    statusReason: null,
    changedAt: createdAt,
  };
}

function rolledState(endpoint: EndpointRecord, roll: Roll, time: number): EndpointState | null {
  const taken = faultOf(endpoint, 'take-back', roll.version);
  const takenAt = roll.startedAt + (taken?.afterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  if (taken === undefined || time < takenAt) return rollState(endpoint, roll, time);
  const { status, reason: statusReason = null } = taken;
  return { ...restingState(endpoint), status, statusReason, changedAt: takenAt };
}

function rollState(endpoint: EndpointRecord, roll: Roll, time: number): EndpointState | null {
  const { restingVersion, replicas } = endpoint;
  const fault = <K extends SimulatedFault['kind']>(kind: K) =>
    faultOf(endpoint, kind, roll.version);
  const elapsedSeconds = Math.max(0, time - roll.startedAt) / 1_000;
  const vanish = fault('vanish');
  if (vanish !== undefined && elapsedSeconds >= vanish.afterSeconds) return null;

  const seconds = fault('slow')?.rollSeconds ?? endpoint.rollSeconds;
  const replaced = Math.min((elapsedSeconds / seconds) * replicas, replicas);
  const rolling: EndpointState = {
    targetVersion: roll.version,
    liveVersion: restingVersion,
    replicas: replicasUp(endpoint, replaced),
    status: 'WAITING_ROLLOUT',
    statusReason: null,
    changedAt: roll.startedAt,
  };

  const halt = fault('fail') ?? fault('stuck');
  const haltsAt = Math.min(halt?.afterReplicas ?? Number.POSITIVE_INFINITY, replicas);
  if (halt !== undefined && replaced >= haltsAt) {
    const halted = { ...rolling, replicas: replicasUp(endpoint, haltsAt) };
    return halt.kind === 'fail'
      ? { ...halted, status: 'ERROR', statusReason: halt.reason ?? null }
      : halted;
  }
  if (replaced < replicas) return rolling;

  const live: EndpointState = {
    ...rolling,
    liveVersion: roll.version,
    status: 'ACTIVE',
    changedAt: roll.startedAt + seconds * 1_000,
  };
  const turn = fault('regress') ?? fault('crash');
  if (turn === undefined || elapsedSeconds < seconds + turn.afterSeconds) return live;
  const changedAt = live.changedAt + turn.afterSeconds * 1_000;
  return turn.kind === 'crash'
    ? { ...live, replicas: 0, status: 'ERROR', changedAt }
    : { ...live, liveVersion: restingVersion, changedAt };
}

function replicasUp({ replicas, restingVersion }: EndpointRecord, replaced: number): number {
  if (restingVersion === 0) return Math.floor(replaced);
  const oneIsDown = replaced < replicas && replaced % 1 < 0.5;
  return oneIsDown ? replicas - 1 : replicas;
}

/** What the world stores about an endpoint. Everything else follows from it and the time. */
export interface EndpointRecord {
  readonly id: string;
  readonly runtimeId: string;
  readonly name: string;
  readonly replicas: number;
  readonly attributes?: Attributes | undefined;
  readonly rollSeconds: number;
  readonly faults: readonly SimulatedFault[];
  /** The version that was live when the last roll began; 0 before the first version is live. */
  readonly restingVersion: number;
  readonly roll: Roll | null;
  /** How a real service has listed the endpoint. @default - the endpoint is invented, and well */
  readonly listed?: Endpoint | undefined;
  /** Milliseconds since the Unix epoch, as are all times here. */
  readonly createdAt: number;
  readonly stoppedAt: number | null;
}

interface Roll {
  readonly version: number;
  readonly startedAt: number;
}

/** The first fault of this kind that applies to a roll to this version. */
export function faultOf<K extends SimulatedFault['kind']>(
  { faults }: Pick<EndpointRecord, 'faults'>,
  kind: K,
  version: number,
): Extract<SimulatedFault, { kind: K }> | undefined {
  return faults.find(
    (fault): fault is Extract<SimulatedFault, { kind: K }> =>
      fault.kind === kind && (fault.version === undefined || fault.version === version),
  );
}

/** An endpoint as it is, with more than a client of the service reads. Times are milliseconds since the Unix epoch. */
export interface TrueEndpoint extends Endpoint {
  readonly targetVersion: number;
  /** 0 before the first version is live. */
  readonly liveVersion: number;
  readonly createdAt: number;
  /** The last write or the last change of what is live; while it rolls, when that began. */
  readonly changedAt: number;
}

/** The endpoint now, or `null` once it has vanished. */
export function endpointAt(
  endpoint: EndpointRecord,
  now: Instant,
  words: Words = STATUSES,
): TrueEndpoint | null {
  const state = stateAt(endpoint, now);
  if (state === null) return null;
  const { id, name, roll, createdAt, stoppedAt, listed, attributes } = endpoint;
  const { targetVersion, liveVersion, replicas, status, statusReason, changedAt } = state;
  return {
    id,
    name,
    version: liveVersion === 0 ? targetVersion : liveVersion,
    targetVersion,
    liveVersion,
    replicas,
    url: urlOf(id),
    status: words[status],
    statusReason,
    createdAt,
    changedAt,
    ...(attributes && { attributes }),
    ...(listed && { name: listed.name, url: listed.url }),
    // Until it is rolled or stopped, it shows what the real service has shown.
    ...(listed &&
      roll === null &&
      stoppedAt === null && {
        ...(status === 'ACTIVE' && { status: listed.status }),
        statusReason: listed.statusReason,
        replicas: listed.replicas,
      }),
  };
}

/** Each endpoint has a host of its own, so that whoever asks it is known to ask just that one. */
function urlOf(id: string): string {
  return `http://${id}${HOST_ENDING}`;
}

/** Names below it lead to this machine (RFC 6761). */
export const HOST_ENDING = '.localhost';

/** What an endpoint answers at its own URL, whatever the path: an HTTP status, and the version that answers. */
export interface Health {
  readonly status: number;
  readonly version: number;
}

/**
 * The answer of an endpoint to a probe now, or `null` once it has vanished. Without replicas it is 503. An old version
 * answers as long as it is live.
 */
export function healthAt(endpoint: EndpointRecord, now: Instant): Health | null {
  const state = stateAt(endpoint, now);
  if (state === null) return null;
  const { liveVersion: version, replicas, changedAt } = state;
  if (replicas === 0 || version === 0) return { status: 503, version };
  const isRolled = endpoint.roll?.version === version;
  const fault = isRolled ? faultOf(endpoint, 'unhealthy', version) : undefined;
  const isIll = fault !== undefined && now - changedAt >= fault.afterSeconds * 1_000;
  return { status: isIll ? fault.httpStatus : 200, version };
}
