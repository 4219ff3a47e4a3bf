import { unlistable } from '../../domain/planning/abilities.ts';
import { type FoundVersion, findVersion } from '../../domain/planning/find-version.ts';
import { type AskedVersion, LATEST } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';

/**
 * What the service says of a version that was asked for. Where it cannot list versions, a number is taken for granted.
 *
 * @throws `VersionsUnsupported` when it cannot say which version is the latest one, and errors of the list.
 */
export async function lookUpVersion(
  runtimeId: string,
  asked: AskedVersion,
  service: Pick<EndpointService, 'abilities' | 'listVersions'>,
): Promise<FoundVersion> {
  if (service.abilities.listsVersions) {
    return findVersion(await service.listVersions(runtimeId), asked);
  }
  if (asked === LATEST) throw unlistable();
  return { state: 'ready', version: asked };
}
