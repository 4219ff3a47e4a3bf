import type { Endpoint } from '../endpoint.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { StatusWords } from '../policy.ts';
import { isFailed, isStopped } from '../status.ts';

/**
 * The version that is live on an endpoint, given by its name or id: what is promoted from there.
 *
 * @throws `VersionUnknown` when there is no such endpoint, or two, or its version is not settled.
 */
export function resolveVersion(
  endpoints: readonly Endpoint[],
  endpoint: string,
  statuses: StatusWords,
): number {
  const found = endpoints.filter(({ id, name }) => id === endpoint || name === endpoint);
  const [source] = found;
  if (source === undefined) throw unknown(endpoint, 'the runtime has no such endpoint');
  if (found.length > 1) throw unknown(endpoint, `${found.length} endpoints are called so`);
  const { liveVersion, targetVersion, status } = source;
  if (isFailed(source, statuses) || isStopped(source, statuses)) {
    throw unknown(endpoint, `its status is ${status}`);
  }
  if (liveVersion === null || liveVersion < 1) {
    throw unknown(endpoint, 'it has no live version');
  }
  if (targetVersion !== null && targetVersion !== liveVersion) {
    throw unknown(endpoint, `it is on its way from version ${liveVersion} to ${targetVersion}`);
  }
  return liveVersion;
}

function unknown(endpoint: string, why: string): SteprollError {
  return new SteprollError(
    ErrorName.VersionUnknown,
    `There is no version to take from endpoint ${JSON.stringify(endpoint)}: ${why}.`,
  );
}
