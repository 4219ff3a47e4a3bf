import type { Fault, Scenario } from '../contract/scenario.ts';
import { Refusal } from '../loopback/refusal.ts';
import type { CreateInput } from '../ports/endpoint-service.ts';
import { type EndpointRecord, faultOf } from './endpoint-record.ts';
import { type EndpointRow, rowAt } from './endpoint-row.ts';
import { newRecord, type Runtime, startRuntime } from './runtime.ts';

/**
 * The simulated service: what the scenario says, and every write since. It has no timers: what an
 * endpoint looks like follows from when its roll began and from the time.
 *
 * Every method throws a `Refusal` of 404 for a runtime or an endpoint that does not exist.
 */
export interface World {
  /** Every endpoint of the runtime, in the order of creation. */
  list(runtimeId: string): EndpointRow[];
  /**
   * Starts an endpoint: live after its roll's seconds. A version left out is the newest that the
   * runtime was ever asked for. Throws a `Refusal` of 409 when the name is taken.
   */
  create(runtimeId: string, input: CreateInput): EndpointRow;
  /**
   * Starts a roll. In mid-roll it retargets, and the replicas start over. The version that is the
   * target already changes nothing. Throws a `Refusal` of 409 when the endpoint is stopped, and of
   * what the scenario says when a fault refuses the roll.
   */
  roll(runtimeId: string, endpointId: string, version: number): EndpointRow;
  /** Stopping twice is fine. */
  stop(runtimeId: string, endpointId: string): void;
}

/** @param now Answers milliseconds since the Unix epoch. */
export function createWorld(scenario: Scenario, now: () => number): World {
  const runtimes = new Map(
    scenario.runtimes.map((runtime) => [runtime.id, startRuntime(runtime, scenario.faults, now())]),
  );
  const refuseIfTold = createRefuser();

  const find = (runtimeId: string): Runtime => {
    const runtime = runtimes.get(runtimeId);
    if (runtime === undefined) {
      throw new Refusal(404, `there is no runtime ${JSON.stringify(runtimeId)}`);
    }
    return runtime;
  };

  const findEndpoint = (runtime: Runtime, id: string): [EndpointRecord, EndpointRow] => {
    const record = runtime.records.get(id);
    const row = record === undefined ? null : rowAt(record, now());
    if (record === undefined || row === null) {
      const owner = JSON.stringify(runtime.id);
      throw new Refusal(404, `runtime ${owner} has no endpoint with id ${JSON.stringify(id)}`);
    }
    return [record, row];
  };

  const startRoll = (runtime: Runtime, record: EndpointRecord, version: number): EndpointRow => {
    runtime.newestVersion = Math.max(runtime.newestVersion, version);
    runtime.records.set(record.id, { ...record, roll: { version, startedAt: now() } });
    const [, row] = findEndpoint(runtime, record.id);
    return row;
  };

  return {
    list(runtimeId) {
      const at = now();
      return [...find(runtimeId).records.values()]
        .map((record) => rowAt(record, at))
        .filter((row) => row !== null);
    },

    create(runtimeId, { name, version }) {
      const runtime = find(runtimeId);
      const record = newRecord(runtime, { ...runtime, name, version: 0 }, now());
      const namesake = runtime.records.get(record.id);
      if (namesake !== undefined && rowAt(namesake, now()) !== null) {
        throw new Refusal(409, `there is an endpoint ${JSON.stringify(name)} already`);
      }
      // A namesake that has vanished makes room; its successor goes to the end of the list.
      runtime.records.delete(record.id);
      return startRoll(runtime, record, version ?? runtime.newestVersion);
    },

    roll(runtimeId, endpointId, version) {
      const runtime = find(runtimeId);
      const [record, row] = findEndpoint(runtime, endpointId);
      if (record.stoppedAt !== null) {
        throw new Refusal(409, `the endpoint ${JSON.stringify(record.name)} is stopped`);
      }
      refuseIfTold(record, version);
      return row.targetVersion === version
        ? row
        : startRoll(runtime, { ...record, restingVersion: row.liveVersion }, version);
    },

    stop(runtimeId, endpointId) {
      const runtime = find(runtimeId);
      const [record] = findEndpoint(runtime, endpointId);
      runtime.records.set(record.id, { ...record, stoppedAt: record.stoppedAt ?? now() });
    },
  };
}

/** Remembers how often each fault has refused, because some refuse the first few rolls only. */
function createRefuser(): (record: EndpointRecord, version: number) => void {
  const met = new Map<Fault, number>();
  return (record, version) => {
    const fault = faultOf(record, 'refuse', version);
    if (fault === undefined) {
      return;
    }
    const count = (met.get(fault) ?? 0) + 1;
    met.set(fault, count);
    if (count <= (fault.times ?? Number.POSITIVE_INFINITY)) {
      const name = JSON.stringify(record.name);
      throw new Refusal(fault.httpStatus, `the scenario refuses to roll ${name} to ${version}`);
    }
  };
}
