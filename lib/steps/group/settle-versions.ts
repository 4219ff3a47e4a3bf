import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { NO_PINS, type Pins } from '../../domain/holds/pins.ts';
import { entryOf } from '../../domain/keyed.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { unknownVersion } from '../../domain/planning/find-version.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import {
  type AskedRequest,
  type AskedVersion,
  LATEST,
  type Wanted,
} from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GroupPlanning } from '../io/ports.ts';
import type { Settled } from '../opening/condition.ts';
import { readStableList } from '../opening/list.ts';
import { lookUpVersion, settledOn, takeVersion } from '../opening/version.ts';
import { ofEach } from './of-each.ts';

export type WantedOfGroup = Wanted & Pick<AskedRequest, 'runtimeId' | 'passedOver'>;

interface Ports {
  /** The service of the runtimes. */
  readonly service: EndpointService;
  readonly planning: GroupPlanning | undefined;
  /** @default - there are none */
  readonly holdsOf?: HoldsOf;
}

/** What holds the rollout of a runtime. */
export type HoldsOf = (runtimeId: string) => Promise<HoldsOfRuntime>;

interface HoldsOfRuntime {
  /** Those that would refuse it: quarantines, and freezes that last too long. */
  readonly refusing: readonly Hold[];
  readonly pins: Pins;
}

export const NO_HOLDS: HoldsOf = async () => ({ refusing: [], pins: NO_PINS });

/**
 * Finds out to which version each runtime of a group goes. Once that is known, it stays.
 *
 * @throws with the faults of all runtimes: `VersionUnknown` for a version that a runtime does not have, `InvalidInput`
 *   for a runtime without a version, and errors of its lists. `VersionsUnsupported`, if nobody can know the latest one.
 */
export async function settleVersions(
  wanted: WantedOfGroup,
  { service, planning, holdsOf = NO_HOLDS }: Ports,
): Promise<Settled> {
  const { desiredVersion, versions } = wanted;
  const runtimeIds = runtimesOfGroup(wanted, planning);
  if (versions === undefined && desiredVersion !== null) {
    return settledOn(desiredVersion, wanted.passedOver);
  }
  refuseOthers(runtimeIds, versions);
  const { policyOf } = needsPlanning(planning);
  const isLatest = runtimeIds.some((id) => askedOf(id, wanted) === LATEST);
  if (isLatest && !service.abilities.listsVersions) throw unlistable();
  const settled = await ofEach(runtimeIds, async (runtimeId): Promise<Settled> => {
    const asked = askedOf(runtimeId, wanted);
    if (typeof asked === 'number') return { desiredVersion: asked };
    const { refusing: quarantines } = await holdsOf(runtimeId);
    if (asked === null) {
      const endpoints = await readStableList(service, runtimeId);
      const { statuses } = policyOf(runtimeId);
      const from = resolveVersion(endpoints, wanted.versionFrom ?? '', statuses);
      return takeVersion(runtimeId, from, service, quarantines);
    }
    const { found, passedOver } = await lookUpVersion(runtimeId, asked, service, quarantines);
    if (found.state === 'none') throw unknownVersion(found);
    return settledOn(found.version, passedOver);
  });
  const found = [...settled].map(([id, { desiredVersion: to }]) => [id, to] as const);
  const passedOver = [...settled.values()].flatMap((one) => one.passedOver ?? []);
  const highest = Math.max(...found.map(([, version]) => version));
  const isOne = found.every(([, version]) => version === highest);
  return {
    ...settledOn(highest, [...(wanted.passedOver ?? []), ...passedOver]),
    ...(!isOne && { versions: Object.fromEntries(found) }),
  };
}

/** `null`: the version is taken from an endpoint of the runtime. */
function askedOf(runtimeId: string, { versions, versionFrom }: Wanted): AskedVersion | null {
  return entryOf(versions, runtimeId) ?? (versionFrom === undefined ? LATEST : null);
}

/** Versions that each runtime has of its own are those of all runtimes of the group, and of no others. */
function refuseOthers(runtimeIds: readonly string[], versions: Wanted['versions']): void {
  if (versions === undefined) return;
  const faults = faultsOfVersions(runtimeIds, versions);
  if (faults.length === 0) return;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `versions: no runtime is rolled.${faults.map((fault) => `\n  ${fault}`).join('')}`,
  );
}

/** Why these are not the versions of the runtimes of a group, in a line for each runtime. */
export function faultsOfVersions(
  runtimeIds: readonly string[],
  versions: Readonly<Record<string, unknown>>,
): string[] {
  return [
    ...runtimeIds
      .filter((id) => !Object.hasOwn(versions, id))
      .map((id) => `${id}: it is in the group, and has no version`),
    ...Object.keys(versions)
      .filter((id) => !runtimeIds.includes(id))
      .map((id) => `${id}: it is not in the group`),
  ];
}

/** @throws `InvalidInput` when the configuration in use has no such group. */
function runtimesOfGroup(
  { runtimeId }: WantedOfGroup,
  planning: GroupPlanning | undefined,
): readonly string[] {
  const name = groupNameOf(runtimeId) ?? runtimeId;
  const runtimeIds = needsPlanning(planning).runtimesOf(name);
  if (runtimeIds !== null) return runtimeIds;
  const message = `groups: the configuration in use has no group ${JSON.stringify(name)}.`;
  throw new SteprollError(ErrorName.InvalidInput, message);
}

/** @throws `IncompatibleState` in a step that has no configuration. */
export function needsPlanning(planning: GroupPlanning | undefined): GroupPlanning {
  if (planning !== undefined) return planning;
  const message = 'The ledger has no plan of this group, and none can be drawn here.';
  throw new SteprollError(ErrorName.IncompatibleState, message);
}
