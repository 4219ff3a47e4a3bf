import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';

// What can never come to a good end is refused before anything is rolled.

/** Nobody begins who may have to stop endpoints, where the service cannot. */
export function stopsAreRefused(
  { cannotStop, policy }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const isImpossible = cannotStop && policy.onFailure === 'stop-old';
  return isImpossible && record?.plan != null
    ? ['its policy is to stop endpoints, which this service cannot do, and it has begun']
    : [];
}

/** A rollout that has nothing to do has found an endpoint at its version. */
export function emptyIsRefused({ record, outcome }: ScenarioResult): string[] {
  const found = record?.plan?.leftOut.some(({ reason }) => reason === 'at-version');
  return outcome.reason === 'NothingToDo' && found !== true
    ? [`it succeeded, and there was nothing that it might have rolled: ${outcome.message}`]
    : [];
}

/** Nothing is taken to a lower version by a release that may not do so. */
export function downgradeIsRefused(
  { policy }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const down = record?.plan?.endpoints.filter(
    ({ previousVersion, previousTarget, desiredVersion }) =>
      Math.max(previousVersion ?? 0, previousTarget ?? 0) > desiredVersion,
  );
  return policy.allowDowngrade
    ? []
    : (down ?? []).map(({ name }) => `${name} is to be taken to a lower version`);
}
