import { type GatePorts, rehearseGates } from '../gates/gates.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { Fault } from '../simulation/scenario.ts';
import type { World } from '../simulation/world.ts';
import type { BadVersion, Faults } from './faults.ts';
import { isNow } from './service-faults.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Stage {
  readonly world: World;
  readonly runtimeId: string;
  /** The version to roll to. */
  readonly version: number;
  readonly time: VirtualTime;
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

/** What the gates say of the simulated fleet. */
export function rehearsedGates(
  faults: Pick<Faults, 'badVersion' | 'silentGates'>,
  stage: Stage,
): GatePorts {
  const { world, runtimeId, time, nameOf } = stage;
  const isBad = badOn(faults, stage);
  const statusOf = (id: string) => world.answer(id).status;
  return rehearseGates({
    statusAt(url) {
      const asked = world.read(runtimeId).find((one) => one.url === url);
      return asked === undefined ? 404 : statusOf(asked.id);
    },
    sick: () =>
      world
        .read(runtimeId)
        .filter((one) => isBad(one) && statusOf(one.id) >= 300)
        .map(({ id }) => nameOf(id)),
    answer: (detail, isPassed) =>
      faults.silentGates.some((one) => isNow(one, time))
        ? { verdict: 'unknown', detail: 'no answer' }
        : { verdict: isPassed ? 'pass' : 'fail', detail },
  });
}
