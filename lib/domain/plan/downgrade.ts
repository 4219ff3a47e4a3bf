import type { Endpoint } from '../endpoint.ts';

/** Why a rollout to `desiredVersion` would take endpoints back, in a sentence; `undefined` if it does not. */
export function faultOfDowngrade(
  endpoints: readonly Endpoint[],
  desiredVersion: number,
): string | undefined {
  const above = endpoints.filter((endpoint) => versionOf(endpoint) > desiredVersion);
  const [first] = above;
  if (first === undefined) return undefined;
  const rest = above.length > 1 ? ` and ${above.length - 1} more are` : ' is';
  return `${first.name ?? first.id}${rest} above version ${desiredVersion} already: allow the downgrade if it is meant.`;
}

/** The version that it serves, or is on its way to. */
function versionOf({ liveVersion, targetVersion }: Endpoint): number {
  return Math.max(liveVersion ?? 0, targetVersion ?? 0);
}
