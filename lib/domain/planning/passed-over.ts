import { ErrorName, SteprollError } from '../errors.ts';
import { describeHold, type Hold } from '../holds/hold.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import { type AskedVersion, LATEST, type PassedOver } from '../rollout/request.ts';
import { nameOf } from '../sentences.ts';
import { type FoundVersion, findVersion } from './find-version.ts';
import type { RuntimeVersion } from './version.ts';

/** A version, and those above it that were not taken. */
export interface Picked {
  readonly found: FoundVersion;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Picks the highest version that is not in quarantine: of all, or of one version and those below it. If all of them are in
 * quarantine, it is the highest one, and its start is refused.
 *
 * @param from `LATEST`, or a version that is taken from an endpoint.
 * @param quarantines Those of the runtime that are in force.
 */
export function pickVersion(
  runtimeId: string,
  versions: readonly RuntimeVersion[],
  from: AskedVersion,
  quarantines: readonly Hold[],
): Picked {
  // Nobody waits for a version below that is still being made.
  const below =
    from === LATEST
      ? versions
      : versions.filter(({ version, state }) => version < from && state !== 'making');
  const isHeld = ({ version }: Pick<RuntimeVersion, 'version'>) =>
    quarantines.some(({ scope }) => scope.version === version);
  const found = findVersion(
    below.filter((one) => !isHeld(one)),
    LATEST,
  );
  if (found.state === 'none') return { found: findVersion(versions, from), passedOver: [] };
  const candidates = from === LATEST ? versions : [...below, { version: from, state: null }];
  const passedOver = candidates
    .filter((one) => one.version > found.version && one.state !== 'failed' && isHeld(one))
    .toSorted((a, b) => b.version - a.version)
    .map(({ version }) => {
      const hold = quarantines.find(({ scope }) => scope.version === version) as Hold;
      return { runtimeId, version, because: describeHold(hold) };
    });
  return { found, passedOver };
}

/** Nobody has asked for the version below the one in quarantine, so none goes down to it. @throws `DowngradeRefused` */
export function refuseStepDown(
  { endpoints }: Pick<RolloutPlan, 'endpoints'>,
  runtimeId: string,
  passedOver: readonly PassedOver[] = [],
): void {
  const of = passedOver.find((one) => one.runtimeId === runtimeId);
  const above = endpoints.find(({ previousVersion, previousTarget, desiredVersion }) => {
    return Math.max(previousVersion ?? 0, previousTarget ?? 0) > desiredVersion;
  });
  if (of === undefined || above === undefined) return;
  const { desiredVersion } = above;
  throw new SteprollError(
    ErrorName.DowngradeRefused,
    `Version ${of.version} is left out, and ${nameOf(above)} is above version ${desiredVersion} already: ask for version ${desiredVersion} by its number if that is meant. ${of.because}`,
  );
}
