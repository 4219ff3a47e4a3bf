import { type GatePorts, rehearseGates } from '../gates/gates.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { Fault } from '../simulation/scenario.ts';
import type { World } from '../simulation/world.ts';
import type { BadVersion, Faults } from './faults.ts';

interface Stage {
  readonly world: World;
  readonly runtimeId: string;
  readonly version: number;
  nameOf(endpointId: string): string;
}

/** A bad version as faults of the endpoints, as in a scenario file. */
export function faultsOfBadVersion(
  { endpoints, afterSeconds, shows }: BadVersion,
  { runtimeId: runtime, version }: Pick<Stage, 'runtimeId' | 'version'>,
): Fault[] {
  return endpoints.map((endpoint) => {
    const common = { runtime, endpoint, version, afterSeconds };
    return shows === 'crash'
      ? { ...common, kind: 'crash' }
      : { ...common, kind: 'unhealthy', httpStatus: 503 };
  });
}

/** Whether the version that is live on an endpoint is the bad one. */
export function badOn(
  { badVersion }: Pick<Faults, 'badVersion'>,
  { version, nameOf }: Pick<Stage, 'version' | 'nameOf'>,
): (endpoint: Pick<TrueEndpoint, 'id' | 'liveVersion'>) => boolean {
  const names = new Set(badVersion?.endpoints);
  return ({ id, liveVersion }) => liveVersion === version && names.has(nameOf(id));
}

/**
 * When an endpoint on which the bad version is live shows that it is, or will show it, in milliseconds since the Unix
 * epoch. `null`: it does not. On its way elsewhere it is well, or as it was.
 *
 * @param since When the version went live. @default - as the endpoint says, which is right unless it crashed
 */
export function shownAt(
  { targetVersion, liveVersion, replicas, changedAt }: TrueEndpoint,
  { afterSeconds, shows }: BadVersion,
  since = changedAt,
): number | null {
  if (targetVersion !== liveVersion) return null;
  if (shows === 'gates') return since + afterSeconds * 1000;
  return replicas === 0 ? changedAt : null;
}

/** Finds an endpoint by its URL, which it keeps; `null` when there is none. */
export function endpointsByUrl(
  world: World,
  runtimeId: string,
): (url: string) => TrueEndpoint | null {
  const ids = new Map(world.read(runtimeId).map(({ id, url }) => [url, id]));
  return (url) => world.readOne(runtimeId, ids.get(url) ?? '');
}

/** What the gates say of the simulated fleet. */
export function rehearsedGates(faults: Pick<Faults, 'badVersion'>, stage: Stage): GatePorts {
  const { world, runtimeId, nameOf } = stage;
  const isBad = badOn(faults, stage);
  const statusOf = (id: string) => world.answer(id).status;
  const endpointAt = endpointsByUrl(world, runtimeId);
  return rehearseGates({
    statusAt(url) {
      const asked = endpointAt(url);
      return asked === null ? 404 : statusOf(asked.id);
    },
    sick: () =>
      world
        .read(runtimeId)
        .filter((one) => isBad(one) && statusOf(one.id) >= 300)
        .map(({ id }) => nameOf(id)),
  });
}
