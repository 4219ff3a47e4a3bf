import { mayStop } from '../../../../lib/domain/rollout/policy.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';

// What can never come to a good end is refused before anything is rolled.

/** Nobody begins who may have to stop endpoints, where the service cannot. */
export function stopsAreRefused(
  { cannotStop, policy }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const isImpossible = cannotStop && mayStop(policy.onFailure);
  return isImpossible && record?.plan != null
    ? ['its policy is to stop endpoints, which this service cannot do, and it has begun']
    : [];
}

/** Nobody begins whose request names another service. */
export function elsewhereIsRefused(
  { asked }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const isElsewhere = asked?.kind === 'by' && asked.service === 'another';
  return isElsewhere && record?.plan != null ? ['it is of another service, and it has begun'] : [];
}

/** A rollout that has nothing to do has found an endpoint at its version. */
export function emptyIsRefused({ held }: Ordeal, { record, outcome }: ScenarioResult): string[] {
  const found = record?.plan?.leftOut.some(({ reason }) => {
    // A pin never makes a group fail.
    return reason === 'at-version' || (reason === 'pinned' && held?.isOfGroup === true);
  });
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

/** A version that the service does not take is known to be none without a look. */
export function tooHighIsRefused(
  { asked, cannotStop }: Ordeal,
  { calls, releases }: Pick<Observed, 'calls' | 'releases'>,
): string[] {
  const isTooHigh = asked?.kind === 'highest' && asked.version < 2;
  const absurd = releases.filter(({ record }) => record?.request.desiredVersion === ABSURD);
  const reads = [...(isTooHigh ? calls : []), ...absurd.flatMap((run) => run.calls)].filter(isList);
  return reads.length > 0 && (isTooHigh || cannotStop)
    ? [`its service takes no such version, and it read the list ${reads.length} times`]
    : [];
}

/** What a release asks for that is above every version. */
const ABSURD = Number.MAX_SAFE_INTEGER;
