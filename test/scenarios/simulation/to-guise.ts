import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { ServiceFaults } from '../../../lib/rehearsal/service.ts';
import type { Guise } from './ordeal.ts';

/** Lets lists show endpoints in their guises. */
export function inGuise(
  guises: readonly Guise[],
  { onList = (read) => read() }: Pick<ServiceFaults, 'onList'>,
): Pick<ServiceFaults, 'onList'> {
  return {
    onList: (read, nth) => onList(() => guised(read(), nth, guises), nth),
  };
}

/** How the nth read shows endpoints. */
export function guised(
  endpoints: readonly Endpoint[],
  nth: number,
  guises: readonly Guise[],
): Endpoint[] {
  return endpoints.flatMap((one) => shownAs(one, nth, guises));
}

function shownAs(endpoint: Endpoint, nth: number, guises: readonly Guise[]): Endpoint[] {
  const guise = guises.find((one) => {
    if (one.endpoint !== endpoint.name) return false;
    if (one.during === 'always') return true;
    return one.during === 'until rolled' ? endpoint.targetVersion === 1 : one.during.includes(nth);
  });
  if (guise === undefined) return [endpoint];
  return guise.shown === null ? [] : [{ ...endpoint, ...guise.shown }];
}
