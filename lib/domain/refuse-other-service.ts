import { ErrorName, SteprollError } from './errors.ts';
import type { AskedRequest } from './rollout.ts';

type OfService = Pick<AskedRequest, 'endpointUrl'>;

/**
 * Two services may have runtimes and endpoints of the same ids: what was planned for one is not done to the
 * other.
 *
 * @param endpointUrl Base URL of the service that is at hand.
 * @throws `InvalidInput` where the rollout is of another one.
 */
export function refuseOtherService(
  request: OfService & Pick<AskedRequest, 'rolloutId'>,
  endpointUrl: string,
): void {
  if (!isOfOtherService(request, { endpointUrl })) return;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `Rollout ${JSON.stringify(request.rolloutId)} is of the service at ${request.endpointUrl}, and the endpoint URL here is ${endpointUrl}.`,
  );
}

/** A record that is too old to say which one it is of is of any. */
export function isOfOtherService(one: OfService, other: OfService): boolean {
  return (
    one.endpointUrl !== undefined &&
    other.endpointUrl !== undefined &&
    one.endpointUrl !== other.endpointUrl
  );
}
