import type { ServiceAbilities } from '../domain/endpoint/abilities.ts';
import type { RuntimeVersion } from '../domain/planning/version.ts';
import { Refusal } from '../loopback/refusal.ts';
import type { CreateInput } from '../ports/endpoint-service.ts';
import {
  busyWith,
  type EndpointRecord,
  endpointAt,
  faultOf,
  type Health,
  healthAt,
  type TrueEndpoint,
} from './endpoint.ts';
import {
  findEndpoint,
  newRecord,
  type Runtime,
  refuseUnmade,
  startRoll,
  startRuntime,
  versionsAt,
} from './runtime.ts';
import type { Scenario, SimulatedFault } from './scenario.ts';

/**
 * The simulated service: the scenario and every write since. It has no timers: the state of an endpoint follows from
 * the time and from when its roll began.
 *
 * Every method throws a `Refusal` of 404 for a runtime or an endpoint that does not exist.
 */
export interface World {
  readonly abilities: ServiceAbilities;
  /** Every endpoint of the runtime, in the order of creation. */
  read(runtimeId: string): TrueEndpoint[];
  /** One of them; `null` when it does not exist. */
  readOne(runtimeId: string, endpointId: string): TrueEndpoint | null;
  /** The versions of the runtime that are listed by now. */
  versions(runtimeId: string): RuntimeVersion[];
  /**
   * Creates an endpoint. It is live after the seconds of its roll. Without a version it gets the latest one that the
   * runtime was ever asked for. Throws a `Refusal` of 409 when the name is taken.
   */
  create(runtimeId: string, input: CreateInput): TrueEndpoint;
  /**
   * Starts a roll. An endpoint in mid-roll gets the new target, and its replicas start again. A roll to the version
   * that is the target already changes nothing. Throws a `Refusal` of 409 when the endpoint is stopped, the
   * status of the scenario when a fault refuses the roll, and 400 when versions are listed and this one is not ready.
   *
   * @param token A roll with a token that was carried out before changes nothing, if the service repeats rolls. Throws
   *   a `Refusal` of 400 when that roll was another one.
   */
  roll(runtimeId: string, endpointId: string, version: number, token?: string): TrueEndpoint;
  /** An endpoint may be stopped twice. Throws a `Refusal` of 405 when the service cannot stop endpoints. */
  stop(runtimeId: string, endpointId: string): void;
  /** What the endpoint itself answers, whatever its runtime. Throws a `Refusal` of 404 when there is none. */
  answer(endpointId: string): Health;
}

/** @param now Answers milliseconds since the Unix epoch. */
export function createWorld(scenario: Scenario, now: () => number): World {
  const abilities: ServiceAbilities = {
    ...scenario.abilities,
    listsVersions: scenario.runtimes.some(({ versions }) => versions !== undefined),
  };
  const runtimes = new Map(
    scenario.runtimes.map((runtime) => [runtime.id, startRuntime(runtime, scenario, now())]),
  );
  const refuseByFault = createRefuser();
  const tokens = createTokens();

  const find = (runtimeId: string): Runtime => {
    const runtime = runtimes.get(runtimeId);
    if (runtime === undefined) {
      throw new Refusal(404, `there is no runtime ${JSON.stringify(runtimeId)}`);
    }
    return runtime;
  };

  return {
    abilities,

    read(runtimeId) {
      const at = now();
      return [...find(runtimeId).records.values()]
        .map((record) => endpointAt(record, at, scenario.words))
        .filter((endpoint) => endpoint !== null);
    },

    readOne(runtimeId, endpointId) {
      const record = find(runtimeId).records.get(endpointId);
      return record === undefined ? null : endpointAt(record, now(), scenario.words);
    },

    versions: (runtimeId) => versionsAt(find(runtimeId), now()),

    create(runtimeId, { name, version }) {
      const runtime = find(runtimeId);
      const record = newRecord(runtime, { ...runtime, name, version: 0 }, now());
      const namesake = runtime.records.get(record.id);
      if (namesake !== undefined && endpointAt(namesake, now()) !== null) {
        throw new Refusal(409, `there is an endpoint ${JSON.stringify(name)} already`);
      }
      // A vanished endpoint of the same name makes room. Its successor goes to the end of the list.
      runtime.records.delete(record.id);
      return startRoll(runtime, record, version ?? runtime.newestVersion, now());
    },

    roll(runtimeId, endpointId, version, token) {
      const runtime = find(runtimeId);
      const [record, endpoint] = findEndpoint(runtime, endpointId, now());
      if (record.stoppedAt !== null) {
        throw new Refusal(409, `the endpoint ${JSON.stringify(record.name)} is stopped`);
      }
      if (version > (abilities.highestVersion ?? version)) {
        throw new Refusal(400, `the highest version is ${abilities.highestVersion}`);
      }
      const change = JSON.stringify([runtimeId, endpointId, version]);
      const named = abilities.repeatsRolls ? token : undefined;
      if (tokens.wasCarriedOut(named, change)) return endpoint;
      refuseWhileBusy(record, endpoint, version, now());
      refuseByFault(record, version);
      refuseUnmade(runtime, version, now());
      tokens.remember(named, change);
      return endpoint.targetVersion === version
        ? endpoint
        : startRoll(runtime, { ...record, restingVersion: endpoint.liveVersion }, version, now());
    },

    stop(runtimeId, endpointId) {
      if (!abilities.stops) throw new Refusal(405, 'this service cannot stop endpoints');
      const runtime = find(runtimeId);
      const [record] = findEndpoint(runtime, endpointId, now());
      runtime.records.set(record.id, { ...record, stoppedAt: record.stoppedAt ?? now() });
    },

    answer(endpointId) {
      const records = [...runtimes.values()].map((runtime) => runtime.records.get(endpointId));
      const record = records.find((one) => one !== undefined);
      const health = record === undefined ? null : healthAt(record, now());
      if (health === null) throw new Refusal(404, 'no endpoint has this name');
      return health;
    },
  };
}

/** Remembers what was carried out under each token. A roll without a token is never the same as another one. */
function createTokens() {
  const changes = new Map<string, string>();
  return {
    wasCarriedOut(token: string | undefined, change: string): boolean {
      const before = token === undefined ? undefined : changes.get(token);
      if (before !== undefined && before !== change) {
        throw new Refusal(400, 'the token was for another roll');
      }
      return before !== undefined;
    },
    remember(token: string | undefined, change: string): void {
      if (token !== undefined) changes.set(token, change);
    },
  };
}

/** What is on its way already is not at rest, so nothing else is done with it. */
function refuseWhileBusy(
  record: EndpointRecord,
  { targetVersion, liveVersion }: TrueEndpoint,
  version: number,
  now: number,
): void {
  const work = busyWith(record, now);
  const isMeant = work?.version === undefined || work.version === version;
  if (work === undefined || !isMeant || targetVersion !== liveVersion) return;
  const name = JSON.stringify(record.name);
  throw new Refusal(work.httpStatus, `the endpoint ${name} is being updated`);
}

/** Counts how often each fault has refused a roll, because some faults refuse only the first few. */
function createRefuser(): (record: EndpointRecord, version: number) => void {
  const met = new Map<SimulatedFault, number>();
  return (record, version) => {
    const fault = faultOf(record, 'refuse', version);
    if (fault === undefined) return;
    const count = (met.get(fault) ?? 0) + 1;
    met.set(fault, count);
    if (count <= (fault.times ?? Number.POSITIVE_INFINITY)) {
      const name = JSON.stringify(record.name);
      throw new Refusal(fault.httpStatus, `the scenario refuses to roll ${name} to ${version}`);
    }
  };
}
