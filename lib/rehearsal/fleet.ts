import { isServing, restingStatusOf } from '../domain/containment/serving.ts';
import { type Endpoint, isStopped, type StatusWords } from '../domain/endpoint/endpoint.ts';
import { isAtRest } from '../domain/endpoint/status-words.ts';
import {
  type Scenario,
  STATUSES,
  type Words,
  type WorldAbilities,
} from '../simulation/scenario.ts';

interface FleetOptions {
  readonly runtimeId: string;
  /** What a roll takes, in seconds. */
  readonly rollSeconds: number;
  readonly statuses: StatusWords;
  readonly abilities: WorldAbilities;
}

/**
 * The fleet that a list of a real service shows, to be rehearsed on. An endpoint without a name goes by its id, and one
 * that is on its way is taken to have just been rolled, unless it is stopped. The simulated service speaks as the real
 * one does.
 */
export function scenarioOfFleet(
  listed: readonly Endpoint[],
  { runtimeId, rollSeconds, statuses, abilities }: FleetOptions,
): Scenario {
  const endpoints = listed.map((one) => ({
    name: one.name ?? one.id,
    version: one.liveVersion ?? one.version ?? 0,
    replicas: Math.max(1, one.replicas ?? 1),
    rollSeconds,
    listed: one,
    isStopped: isStopped(one, statuses),
  }));
  const version = Math.max(1, ...endpoints.map((one) => one.version));
  return {
    runtimes: [{ id: runtimeId, version, replicas: 1, rollSeconds, endpoints }],
    faults: [],
    abilities,
    maxPageSize: null,
    words: wordsOf(listed, statuses),
  };
}

/** Of several words for a state the first one is spoken, in which `*` stands for nothing. */
function wordsOf(listed: readonly Endpoint[], statuses: StatusWords): Words {
  const { failed, stopped } = statuses;
  const restingStatus = restingStatusOf(listed, statuses);
  const resting = restingStatus === undefined ? {} : { restingStatus };
  const serving = listed.find((one) => isServing(one, statuses, resting))?.status;
  const atRest = listed.find((one) => one.status !== null && isAtRest(one, statuses))?.status;
  const spoken = (words: readonly string[], byDefault: string) =>
    words[0]?.replaceAll('*', '') || byDefault;
  return {
    ACTIVE: serving ?? spoken(statuses.serving, atRest ?? STATUSES.ACTIVE),
    WAITING_ROLLOUT: STATUSES.WAITING_ROLLOUT,
    UPDATING: spoken(statuses.busy, STATUSES.UPDATING),
    ERROR: spoken(failed, STATUSES.ERROR),
    STOPPED: spoken(stopped, STATUSES.STOPPED),
  };
}
