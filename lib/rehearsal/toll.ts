import { isServing } from '../domain/containment/serving.ts';
import { isStopped, type StatusWords } from '../domain/endpoint/endpoint.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { BadNight } from './bad-night.ts';

/** What a rollout did to the fleet, as it truly was and not as a list showed it. */
export interface Toll {
  /** The most endpoints in mid-roll at once. */
  readonly mostInMidRoll: number;
  /** The fewest endpoints that certainly answered. An endpoint in mid-roll is not among them. */
  readonly fewestServing: number;
  /** `null`: no bad version was live. */
  readonly badVersion: BadNight | null;
}

export interface TollTaker {
  /** Looks at the fleet. It must be called just before and after each write, and now and then in between. */
  look(endpoints: readonly TrueEndpoint[]): void;
  toll(): Omit<Toll, 'badVersion'>;
}

interface TollOptions {
  readonly statuses: StatusWords;
  /** A status that counts as serving although it is none of the configured words. @default - none does */
  readonly restingStatus: string | null | undefined;
}

export function createTollTaker({ statuses, restingStatus }: TollOptions): TollTaker {
  const resting = restingStatus === undefined ? {} : { restingStatus };
  let mostInMidRoll = 0;
  let fewestServing = Number.POSITIVE_INFINITY;
  return {
    look(endpoints) {
      let inMidRoll = 0;
      let serving = 0;
      for (const endpoint of endpoints) {
        if (isServing(endpoint, statuses, resting)) serving += 1;
        else if (isInMidRoll(endpoint, statuses)) inMidRoll += 1;
      }
      mostInMidRoll = Math.max(mostInMidRoll, inMidRoll);
      fewestServing = Math.min(fewestServing, serving);
    },
    toll: () => ({
      mostInMidRoll,
      fewestServing: Number.isFinite(fewestServing) ? fewestServing : 0,
    }),
  };
}

function isInMidRoll(endpoint: TrueEndpoint, statuses: StatusWords): boolean {
  return endpoint.targetVersion !== endpoint.liveVersion && !isStopped(endpoint, statuses);
}
