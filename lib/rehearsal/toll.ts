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
  /** Looks at the fleet. It must be called just before each write, and now and then in between. */
  look(endpoints: readonly TrueEndpoint[]): void;
  /** Sees what a write did to an endpoint since the fleet was looked at. `null`: there is none. */
  see(before: TrueEndpoint | null, after: TrueEndpoint | null): void;
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
  let inMidRoll = 0;
  let serving = 0;
  const count = (endpoint: TrueEndpoint | null, by: 1 | -1) => {
    if (endpoint === null) return;
    if (isServing(endpoint, statuses, resting)) serving += by;
    else if (isInMidRoll(endpoint, statuses)) inMidRoll += by;
  };
  const note = () => {
    mostInMidRoll = Math.max(mostInMidRoll, inMidRoll);
    fewestServing = Math.min(fewestServing, serving);
  };
  return {
    look(endpoints) {
      inMidRoll = 0;
      serving = 0;
      for (const endpoint of endpoints) count(endpoint, 1);
      note();
    },
    see(before, after) {
      count(before, -1);
      count(after, 1);
      note();
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
