import type { Hold } from '../../domain/holds/hold.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { type FoundVersion, findVersion } from '../../domain/planning/find-version.ts';
import { type Picked, pickVersion } from '../../domain/planning/passed-over.ts';
import { type AskedVersion, LATEST, type PassedOver } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Settled } from './condition.ts';

type Versions = Pick<EndpointService, 'abilities' | 'listVersions'>;

/** The same as `lookUpVersion`, but not a latest version among the quarantines that are in force. */
export async function lookUpAsked(
  runtimeId: string,
  asked: AskedVersion,
  service: Versions,
  quarantines: readonly Hold[],
): Promise<Picked> {
  if (asked !== LATEST || !service.abilities.listsVersions) {
    return { found: await lookUpVersion(runtimeId, asked, service), passedOver: [] };
  }
  return pickVersion(runtimeId, await service.listVersions(runtimeId), LATEST, quarantines);
}

/**
 * The version that is taken from an endpoint, or the next one below that is not in quarantine. Where versions cannot be
 * listed, nobody knows that one, and the start is refused.
 *
 * @throws errors of the list of versions.
 */
export async function takeVersion(
  runtimeId: string,
  version: number,
  service: Versions,
  quarantines: readonly Hold[],
): Promise<Settled> {
  const isHeld = quarantines.some(({ scope }) => scope.version === version);
  if (!isHeld || !service.abilities.listsVersions) return { desiredVersion: version };
  const versions = await service.listVersions(runtimeId);
  const { found, passedOver } = pickVersion(runtimeId, versions, version, quarantines);
  return found.state === 'ready'
    ? settledOn(found.version, passedOver)
    : { desiredVersion: version };
}

export function settledOn(desiredVersion: number, passedOver: readonly PassedOver[] = []): Settled {
  return { desiredVersion, ...(passedOver.length > 0 && { passedOver }) };
}

/**
 * What the service says of a version that was asked for. Where it cannot list versions, a number is taken for granted.
 *
 * @throws `VersionsUnsupported` when it cannot say which version is the latest one, and errors of the list.
 */
export async function lookUpVersion(
  runtimeId: string,
  asked: AskedVersion,
  service: Versions,
): Promise<FoundVersion> {
  if (service.abilities.listsVersions) {
    return findVersion(await service.listVersions(runtimeId), asked);
  }
  if (asked === LATEST) throw unlistable();
  return { state: 'ready', version: asked };
}
