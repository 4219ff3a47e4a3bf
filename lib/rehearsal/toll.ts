import { isServing } from '../domain/containment/serving.ts';
import { isStopped, type StatusWords } from '../domain/endpoint/endpoint.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';

/** What a rollout did to the fleet, as it truly was and not as a list showed it. */
export interface Toll {
  /** The most endpoints in mid-roll at once. */
  readonly mostInMidRoll: number;
  /** The fewest endpoints that certainly answered. An endpoint in mid-roll is not among them. */
  readonly fewestServing: number;
  /** The longest time that a bad version was live on one endpoint, in seconds. */
  readonly badSeconds: number;
  /** On how many endpoints the bad version was still live when the rollout ended. */
  readonly badAtEnd: number;
}

export interface TollTaker {
  /** Looks at the fleet. It must be called just before and after each write, and now and then in between. */
  look(endpoints: readonly TrueEndpoint[], now: number): void;
  toll(): Toll;
}

interface TollOptions {
  readonly statuses: StatusWords;
  /** A status that counts as serving although it is none of the configured words. @default - none does */
  readonly restingStatus: string | null | undefined;
  /** Whether the version that is live on an endpoint is the bad one. */
  readonly isBad: (endpoint: TrueEndpoint) => boolean;
}

export function createTollTaker({ statuses, restingStatus, isBad }: TollOptions): TollTaker {
  const resting = restingStatus === undefined ? {} : { restingStatus };
  /** Since when the bad version is live, by the id of the endpoint. */
  const badSince = new Map<string, number>();
  let mostInMidRoll = 0;
  let fewestServing = Number.POSITIVE_INFINITY;
  let badMs = 0;
  const note = (endpoint: TrueEndpoint, now: number) => {
    const { id, changedAt } = endpoint;
    const isLive = isBad(endpoint) && !isStopped(endpoint, statuses);
    const since = badSince.get(id) ?? (isLive ? changedAt : undefined);
    if (since === undefined) return;
    badMs = Math.max(badMs, (isLive ? now : changedAt) - since);
    if (isLive) badSince.set(id, since);
    else badSince.delete(id);
  };
  return {
    look(endpoints, now) {
      let inMidRoll = 0;
      let serving = 0;
      for (const endpoint of endpoints) {
        if (isServing(endpoint, statuses, resting)) serving += 1;
        else if (isInMidRoll(endpoint, statuses)) inMidRoll += 1;
        note(endpoint, now);
      }
      mostInMidRoll = Math.max(mostInMidRoll, inMidRoll);
      fewestServing = Math.min(fewestServing, serving);
    },
    toll: () => ({
      mostInMidRoll,
      fewestServing: Number.isFinite(fewestServing) ? fewestServing : 0,
      badSeconds: Math.round(badMs / 1000),
      badAtEnd: badSince.size,
    }),
  };
}

function isInMidRoll(endpoint: TrueEndpoint, statuses: StatusWords): boolean {
  return endpoint.targetVersion !== endpoint.liveVersion && !isStopped(endpoint, statuses);
}
