import type { GateAnswer, Gates } from '../ports/gates.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { Fault } from '../simulation/scenario.ts';
import type { World } from '../simulation/world.ts';
import type { BadVersion, Faults } from './faults.ts';

interface Stage {
  readonly world: World;
  readonly runtimeId: string;
  /** The version to roll to. */
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

/**
 * What probes, alarms and metrics say of the simulated fleet. Every alarm fails as long as an endpoint answers a probe
 * with an error, and was rolled to the bad version. So does every metric; one of a single endpoint only because of that
 * endpoint.
 */
export function rehearsedGates(faults: Pick<Faults, 'badVersion'>, stage: Stage): Gates {
  const { world, runtimeId, nameOf } = stage;
  const isBad = badOn(faults, stage);
  const answer = (detail: string, isPassed: boolean): GateAnswer => {
    return { verdict: isPassed ? 'pass' : 'fail', detail };
  };
  const statusOf = (id: string) => world.answer(id).status;
  const isSick = (one: TrueEndpoint) => isBad(one) && statusOf(one.id) >= 300;
  return {
    async probe(url, { status: wanted }) {
      const asked = world.read(runtimeId).find((one) => one.url === url);
      const status = asked === undefined ? 404 : statusOf(asked.id);
      // A simulated endpoint that is well answers as the probe wants it.
      const told = status === 200 ? wanted : status;
      return answer(`${told}`, told === wanted);
    },
    async alarm() {
      const isRaised = world.read(runtimeId).some(isSick);
      return answer(isRaised ? 'ALARM' : 'OK', !isRaised);
    },
    async metrics(questions) {
      const sick = world
        .read(runtimeId)
        .filter(isSick)
        .map(({ id }) => nameOf(id));
      return questions.map(({ endpoint }) => {
        const isBeyond = endpoint === null ? sick.length > 0 : sick.includes(endpoint);
        return answer(isBeyond ? 'beyond its limit' : 'within its limit', !isBeyond);
      });
    },
  };
}
