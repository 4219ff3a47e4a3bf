import { nameOfStatus } from '../adapters/http/classify-exchange.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { markSharedNames } from '../domain/endpoint/shared-names.ts';
import { ErrorName, errorNameOf, SteprollError } from '../domain/errors.ts';
import type { RuntimeVersion } from '../domain/planning/version.ts';
import { Refusal } from '../loopback/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import type { World } from '../simulation/world.ts';
import type { Call, WriteCall } from './calls.ts';

/** A write that is about to reach the service. */
export interface Write {
  readonly endpointId: string;
  /** 1-based: which write of this kind to this endpoint it is. */
  readonly nth: number;
  /** Only for a roll. */
  readonly version?: number;
}

/** Stands between the rollout and the service: may call it, or not, and answer what it likes. */
export interface ServiceFaults {
  /** `nth` is 1-based and counts every read. */
  readonly onList?: (read: () => readonly Endpoint[], nth: number) => readonly Endpoint[];
  readonly onRoll?: (carryOut: () => Endpoint, write: Write) => Endpoint | null;
  readonly onVersions?: (read: () => readonly RuntimeVersion[]) => readonly RuntimeVersion[];
  readonly onStop?: (carryOut: () => void, write: Write) => void;
}

export interface WorldServiceOptions {
  readonly world: World;
  /** Base URL. @default 'https://endpoints.example.com' */
  readonly url?: string;
  readonly clock: Clock;
  readonly calls: Call[];
  /** Id of the rollout that this service is for. */
  readonly rolloutId: string;
  readonly faults: ServiceFaults;
  /** Milliseconds from the sending of a request until it is carried out. */
  readonly latencyMs: number;
}

/** The simulated service without a network: the errors are those that the HTTP client would throw. */
export function createWorldService(options: WorldServiceOptions): EndpointService {
  const { world, clock, calls, rolloutId, faults, latencyMs } = options;
  const { url = 'https://endpoints.example.com' } = options;
  const { onList = call, onVersions = call, onRoll = call, onStop = call } = faults;
  let lists = 0;

  const send = async <T>(carryOut: () => T, writes: boolean, signal?: AbortSignal): Promise<T> => {
    if (latencyMs > 0) await clock.sleep(latencyMs, signal);
    try {
      return carryOut();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { httpStatus, message } = error;
      const name = nameOfStatus(httpStatus, writes);
      throw new SteprollError(name, `${httpStatus} ${message}`, { httpStatus });
    }
  };

  const write = async <T>(entry: Omit<WriteCall, 'at' | 'rolloutId'>, carryOut: () => T) => {
    const noted: WriteCall = { rolloutId, at: clock.now(), ...entry };
    calls.push(noted);
    try {
      const answer = await send(carryOut, true);
      noted.answer = 'accepted';
      return answer;
    } catch (error) {
      noted.answer = errorNameOf(error);
      throw error;
    }
  };

  const counts = new Map<string, number>();
  const nthOf = (operation: string, endpointId: string): number => {
    const key = `${operation} ${endpointId}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return nth;
  };

  return {
    url,
    abilities: world.abilities,
    async list(runtimeId, signal) {
      lists += 1;
      const nth = lists;
      const read = () => world.read(runtimeId);
      try {
        const endpoints = markSharedNames(await send(() => onList(read, nth), false, signal));
        calls.push({ rolloutId, at: clock.now(), operation: 'list', endpoints });
        return endpoints;
      } catch (error) {
        calls.push({ rolloutId, at: clock.now(), operation: 'list', endpoints: null });
        throw error;
      }
    },
    async roll(runtimeId, endpointId, version, _signal, token) {
      const nth = nthOf('roll', endpointId);
      const carryOut = () => world.roll(runtimeId, endpointId, version, token);
      const named = token === undefined ? {} : { token };
      return write({ operation: 'roll', endpointId, version, ...named }, () =>
        onRoll(carryOut, { endpointId, nth, version }),
      );
    },
    async stop(runtimeId, endpointId) {
      if (!world.abilities.stops) {
        throw new SteprollError(ErrorName.StopUnsupported, 'This service cannot stop endpoints.');
      }
      const nth = nthOf('stop', endpointId);
      const carryOut = () => world.stop(runtimeId, endpointId);
      return write({ operation: 'stop', endpointId }, () => onStop(carryOut, { endpointId, nth }));
    },
    listPage: () => Promise.reject(new Error('No step of a rollout reads a single page.')),
    listVersions: (runtimeId, signal) =>
      send(() => onVersions(() => world.versions(runtimeId)), false, signal),
    create: () => Promise.reject(new Error('No step of a rollout creates an endpoint.')),
  };
}

function call<T>(carryOut: () => T): T {
  return carryOut();
}
