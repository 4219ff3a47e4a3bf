import type { Endpoint } from '../endpoint.ts';
import { ErrorName, SteprollError } from '../errors.ts';

/**
 * Refuses a version that is too far above everything that is live: what asks for it may be a mistake, or a
 * forgery, and every later release would count as a downgrade.
 *
 * @param endpoints All that the runtime's list has, selected or not. Where none says a live version, 0 is live.
 * @throws `VersionStepRefused`
 */
export function refuseVersionStep(
  endpoints: readonly Endpoint[],
  desiredVersion: number,
  { maxVersionStep }: { readonly maxVersionStep: number },
): void {
  const highest = endpoints.reduce((most, { liveVersion }) => Math.max(most, liveVersion ?? 0), 0);
  const step = desiredVersion - highest;
  if (step <= maxVersionStep) return;
  const above =
    highest === 0
      ? 'no endpoint of the runtime has a live version'
      : `version ${highest} is the highest one that is live in the runtime`;
  throw new SteprollError(
    ErrorName.VersionStepRefused,
    `Version ${desiredVersion} is a step of ${step}: ${above}, and maxVersionStep allows ${maxVersionStep}. Raise it if the version is meant.`,
  );
}
