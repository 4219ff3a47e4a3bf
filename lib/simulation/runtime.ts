import { createHash } from 'node:crypto';
import type { RuntimeVersion } from '../domain/planning/version.ts';
import { Refusal } from '../loopback/refusal.ts';
import { type EndpointRecord, endpointAt, type TrueEndpoint } from './endpoint.ts';
import type { Scenario, ScenarioEndpoint, ScenarioRuntime } from './scenario.ts';

export interface Runtime {
  readonly id: string;
  /** Replicas of endpoints that are created later. `rollSeconds` is for them too. */
  readonly replicas: number;
  readonly rollSeconds: number;
  readonly versions?: ScenarioRuntime['versions'];
  readonly scenario: Pick<Scenario, 'faults' | 'words' | 'abilities'>;
  /** Milliseconds since the Unix epoch, as are all times here. */
  readonly startedAt: number;
  /** The endpoints by their ids, in the order of creation. */
  readonly records: Map<string, EndpointRecord>;
  /** The highest version that the runtime was ever asked for. */
  newestVersion: number;
}

export function startRuntime(
  { id, version, endpoints, ...defaults }: ScenarioRuntime,
  scenario: Runtime['scenario'],
  now: number,
): Runtime {
  const records = new Map<string, EndpointRecord>();
  const runtime = { id, ...defaults, scenario, startedAt: now, records };
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
  runtime: Pick<Runtime, 'id' | 'scenario'>,
  { name, version, replicas, rollSeconds, attributes, listed, isStopped = false }: ScenarioEndpoint,
  now: number,
): EndpointRecord {
  const { targetVersion = null } = listed ?? {};
  const isOnItsWay = targetVersion !== null && targetVersion !== version;
  return {
    id: listed?.id ?? idOf(runtime.id, name),
    runtimeId: runtime.id,
    name,
    replicas,
    attributes: attributes ?? listed?.attributes,
    rollSeconds,
    faults: runtime.scenario.faults.filter((fault) => {
      return fault.endpoint === name && (fault.runtime ?? runtime.id) === runtime.id;
    }),
    restingVersion: version,
    roll: isOnItsWay ? { version: targetVersion, startedAt: now } : null,
    listed,
    createdAt: now,
    stoppedAt: isOnItsWay && isStopped ? now : null,
  };
}

/** Throws a `Refusal` of 404 when the endpoint does not exist. */
export function findEndpoint(
  { id: runtimeId, records, scenario }: Runtime,
  id: string,
  now: number,
): [EndpointRecord, TrueEndpoint] {
  const record = records.get(id);
  const endpoint = record === undefined ? null : endpointAt(record, now, scenario.words);
  if (record !== undefined && endpoint !== null) return [record, endpoint];
  const owner = JSON.stringify(runtimeId);
  throw new Refusal(404, `runtime ${owner} has no endpoint with id ${JSON.stringify(id)}`);
}

export function startRoll(
  runtime: Runtime,
  record: EndpointRecord,
  version: number,
  now: number,
): TrueEndpoint {
  runtime.records.set(record.id, { ...record, roll: { version, startedAt: now } });
  if (version > runtime.newestVersion) {
    runtime.newestVersion = version;
    moveOwn(runtime, version, now);
  }
  const [, endpoint] = findEndpoint(runtime, record.id, now);
  return endpoint;
}

/** A version that the runtime has never had makes the service move its own endpoints. */
function moveOwn({ records, scenario }: Runtime, version: number, now: number): void {
  for (const record of [...records.values()]) {
    const endpoint = endpointAt(record, now);
    if (endpoint === null || !scenario.abilities.movedByService.includes(record.name)) continue;
    const { liveVersion: restingVersion } = endpoint;
    records.set(record.id, { ...record, restingVersion, roll: { version, startedAt: now } });
  }
}

/** The versions that are listed by now. */
export function versionsAt({ versions = [], startedAt }: Runtime, now: number): RuntimeVersion[] {
  const seconds = (now - startedAt) / 1000;
  return versions
    .filter(({ listedAfterSeconds }) => listedAfterSeconds <= seconds)
    .map(({ version, madeAfterSeconds, fails }) => {
      if (madeAfterSeconds > seconds) return { version, state: 'making' };
      return { version, state: fails ? 'failed' : 'ready' };
    });
}

/** Throws a `Refusal` of 400 when versions are listed and this one is not ready. */
export function refuseUnmade(runtime: Runtime, wanted: number, now: number): void {
  if (runtime.versions === undefined) return;
  const isMade = versionsAt(runtime, now).some(
    ({ version, state }) => version === wanted && state === 'ready',
  );
  if (!isMade) throw new Refusal(400, `there is no version ${wanted} that is ready`);
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
