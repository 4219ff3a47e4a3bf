import type { GateAnswer, Gates } from '../ports/gates.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { Fault } from '../simulation/scenario.ts';
import type { World } from '../simulation/world.ts';
import type { BadVersion, Faults, While } from './faults.ts';
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

/**
 * When a gate would first have said no about an endpoint on which the bad version is live. A crash is in the list, too,
 * so silent gates hide only what they alone show.
 */
export function signOfBadVersion(
  { badVersion, silentGates }: Pick<Faults, 'badVersion' | 'silentGates'>,
  { startsAt }: { readonly startsAt: number },
): (endpoint: TrueEndpoint, since: number, now: number) => number | null {
  const { afterSeconds = 0, shows } = badVersion ?? {};
  return ({ targetVersion, liveVersion, replicas, changedAt }, since, now) => {
    // On its way elsewhere it is well, or as it was.
    if (targetVersion !== liveVersion) return null;
    if (shows !== 'gates') return replicas === 0 ? changedAt : null;
    const second = (since - startsAt) / 1000 + afterSeconds;
    const signAt = startsAt + endOfSilence(silentGates, second) * 1000;
    return signAt <= now ? signAt : null;
  };
}

/** The first second from this one on in which the gates are not silent. */
function endOfSilence(silences: readonly While[], second: number): number {
  const silence = silences.find(
    ({ fromSecond, seconds }) => second >= fromSecond && second < fromSecond + seconds,
  );
  if (silence === undefined) return second;
  return endOfSilence(silences, silence.fromSecond + silence.seconds);
}

/**
 * What probes, alarms and metrics say of the simulated fleet. Every alarm fails as long as an endpoint answers a probe
 * with an error, and was rolled to the bad version. So does every metric; one of a single endpoint only because of that
 * endpoint.
 */
export function rehearsedGates(
  faults: Pick<Faults, 'badVersion' | 'silentGates'>,
  stage: Stage,
): Gates {
  const { world, runtimeId, time, nameOf } = stage;
  const isBad = badOn(faults, stage);
  const answer = (detail: string, isPassed: boolean): GateAnswer =>
    faults.silentGates.some((one) => isNow(one, time))
      ? { verdict: 'unknown', detail: 'no answer' }
      : { verdict: isPassed ? 'pass' : 'fail', detail };
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
