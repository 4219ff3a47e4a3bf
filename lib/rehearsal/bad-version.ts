import { rehearseGates } from '../gates/gates.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { SimulatedFault } from '../simulation/scenario.ts';
import type { World } from '../simulation/world.ts';
import type { BadVersion, Faults } from './faults.ts';
import { faultyGates, firstNo } from './gate-faults.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A bad version as faults of the endpoints, as in a scenario file. */
export function faultsOfBadVersion(
  { endpoints, afterSeconds, shows }: BadVersion,
  { runtimeId: runtime, version }: Pick<Stage, 'runtimeId' | 'version'>,
): SimulatedFault[] {
  return endpoints.map((endpoint) => {
    const common = { runtime, endpoint, version, afterSeconds };
    return shows === 'crash'
      ? { ...common, kind: 'crash' }
      : { ...common, kind: 'unhealthy', httpStatus: 503 };
  });
}

interface Stage {
  readonly world: World;
  readonly runtimeId: string;
  readonly version: number;
  readonly time: VirtualTime;
  nameOf(endpointId: string): string;
}

/** Where the bad version is, and what the gates say about it and about what is well. */
export function setBadVersion(faults: Faults, stage: Stage) {
  const { world, runtimeId, version, time, nameOf } = stage;
  const { badVersion } = faults;
  const badNames = new Set(badVersion?.endpoints);
  const isBad = ({ id, liveVersion }: TrueEndpoint) =>
    liveVersion === version && badNames.has(nameOf(id));
  const startsAt = time.now();
  const secondOf = (at: number) => (at - startsAt) / 1000;
  const signOf = (endpoint: TrueEndpoint, since: number, now: number): number | null => {
    const shown = badVersion && shownAt(endpoint, badVersion, since);
    if (shown === null || shown > now) return null;
    // The list shows it, too.
    if (badVersion?.shows === 'crash') return shown;
    const no = firstNo(faults.gates, nameOf(endpoint.id), secondOf(shown), secondOf(now));
    return no === null ? null : startsAt + no * 1000;
  };
  // An endpoint keeps its URL.
  const ids = new Map(world.read(runtimeId).map(({ id, url }) => [url, id]));
  const endpointAt = (url: string) => world.readOne(runtimeId, ids.get(url) ?? '');
  const statusOf = (id: string) => world.answer(id).status;
  const rehearsed = rehearseGates({
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
  const gates = faultyGates(rehearsed, faults.gates, {
    time,
    nameOfUrl(url) {
      const asked = endpointAt(url);
      return asked && nameOf(asked.id);
    },
    badSince(name) {
      const shown = world
        .read(runtimeId)
        .filter((one) => isBad(one) && (name === null || nameOf(one.id) === name))
        .flatMap((one) => (badVersion && shownAt(one, badVersion)) ?? []);
      return shown.length === 0 ? null : secondOf(Math.min(...shown));
    },
  });
  return { isBad, signOf, gates };
}

/**
 * When an endpoint on which the bad version is live shows that it is, or will show it, in milliseconds since the Unix
 * epoch. `null`: it does not. On its way elsewhere it is well, or as it was.
 *
 * @param since When the version went live. @default - as the endpoint says, which is right unless it crashed
 */
function shownAt(
  { targetVersion, liveVersion, replicas, changedAt }: TrueEndpoint,
  { afterSeconds, shows }: BadVersion,
  since = changedAt,
): number | null {
  if (targetVersion !== liveVersion) return null;
  if (shows === 'gates') return since + afterSeconds * 1000;
  return replicas === 0 ? changedAt : null;
}
