import { ErrorName, SteprollError } from '../errors.ts';
import type { AskedRequest } from './request.ts';

type OfService = Pick<AskedRequest, 'endpointUrl'>;

/**
 * Refuses a rollout of another service. Two services may use the same ids for their runtimes and endpoints, so a plan
 * for one must not be carried out on the other.
 *
 * @throws `InvalidInput` when the rollout belongs to another service.
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

/** A request whose service is not known yet matches any service. */
export function isOfOtherService(one: OfService, other: OfService): boolean {
  return (
    one.endpointUrl !== undefined &&
    other.endpointUrl !== undefined &&
    one.endpointUrl !== other.endpointUrl
  );
}
