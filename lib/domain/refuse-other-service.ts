import { ErrorName, SteprollError } from './errors.ts';
import type { RolloutRequest } from './rollout.ts';

/**
 * Two services may have runtimes and endpoints of the same ids: what was planned for one is not done to the
 * other.
 *
 * @param endpointUrl Base URL of the service that is at hand.
 * @throws `InvalidInput` where the rollout is of another one.
 */
export function refuseOtherService(
  { rolloutId, endpointUrl: wanted }: Pick<RolloutRequest, 'rolloutId' | 'endpointUrl'>,
  endpointUrl: string,
): void {
  if (wanted === undefined || wanted === endpointUrl) return;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `Rollout ${JSON.stringify(rolloutId)} is of the service at ${wanted}, and the endpoint URL here is ${endpointUrl}.`,
  );
}
