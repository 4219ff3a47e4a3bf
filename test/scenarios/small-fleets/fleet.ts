import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { endpointName } from '../../support/endpoint-names.ts';

/** Every endpoint as it truly is. It has no time: when a roll gets further is a choice. */
export type Fleet = readonly Endpoint[];

export const PREVIOUS_VERSION = 1;
export const DESIRED_VERSION = 2;
/** Where somebody else takes an endpoint: to a version of his own, or back to where it was. */
export const OTHER_VERSIONS = [3, PREVIOUS_VERSION] as const;

const ROLLING = 'WAITING_ROLLOUT';

export function createFleet(count: number): Fleet {
  return Array.from({ length: count }, (_, index) => {
    const name = endpointName(index + 1);
    return {
      id: name,
      name,
      version: PREVIOUS_VERSION,
      targetVersion: PREVIOUS_VERSION,
      liveVersion: PREVIOUS_VERSION,
      replicas: 1,
      url: `https://${name}.example.com`,
      status: 'ACTIVE',
      statusReason: null,
    };
  });
}

export function isRolling({ status }: Endpoint): boolean {
  return status === ROLLING;
}

/** As the simulated service does it: a roll to the version that is the target already changes nothing. */
export function roll(endpoint: Endpoint, targetVersion: number): Endpoint {
  if (endpoint.status === 'STOPPED') {
    throw new SteprollError(ErrorName.UpstreamConflict, 'it is stopped', { httpStatus: 409 });
  }
  if (endpoint.targetVersion === targetVersion) return endpoint;
  return { ...endpoint, targetVersion, status: ROLLING };
}

export function stop(endpoint: Endpoint): Endpoint {
  return { ...endpoint, replicas: 0, status: 'STOPPED' };
}

/** What becomes of an endpoint in mid-roll until somebody looks again. The first one is that all goes well. */
export const PROGRESS = ['comes live', 'is not there yet', 'fails'] as const;

export function progress(endpoint: Endpoint, how: (typeof PROGRESS)[number]): Endpoint {
  const { targetVersion } = endpoint;
  if (how === 'is not there yet') return endpoint;
  if (how === 'fails') return { ...endpoint, status: 'ERROR' };
  return { ...endpoint, version: targetVersion, liveVersion: targetVersion, status: 'ACTIVE' };
}
