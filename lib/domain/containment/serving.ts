import {
  asSaid,
  type Endpoint,
  isFailed,
  isStopped,
  matchesAny,
  type StatusWords,
} from '../endpoint/endpoint.ts';
import { isAtRest } from '../endpoint/status-words.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';

/**
 * Whether the endpoint certainly answers its callers: a version is live, it is not on its way to another one, it is
 * not known to have 0 replicas, and its status says that it serves. An endpoint of which nobody knows this does not
 * count.
 */
export function isServing(
  endpoint: Endpoint,
  statuses: StatusWords,
  { restingStatus }: Pick<RolloutPlan, 'restingStatus'>,
): boolean {
  if (!isAtRest(endpoint, statuses)) return false;
  if (matchesAny(asSaid(endpoint).status, statuses.serving)) return true;
  return restingStatus !== undefined && fold(endpoint.status) === fold(restingStatus);
}

/**
 * A status that counts as serving although it is none of the configured words. It exists only when no endpoint at rest
 * shows one of those words, and all listed endpoints that are neither failed nor stopped show the same status. A status
 * that only one endpoint shows may as well be that of an endpoint in trouble. `undefined`: it does not exist. `null`:
 * it exists, and to have no status at all counts as serving, because none of these endpoints has one.
 */
export function restingStatusOf(
  listed: readonly Endpoint[],
  statuses: StatusWords,
): string | null | undefined {
  const others = listed.filter((each) => !isFailed(each, statuses) && !isStopped(each, statuses));
  const resting = others.filter((each) => isAtRest(each, statuses));
  if (resting.some((each) => matchesAny(asSaid(each).status, statuses.serving))) return undefined;
  const [first] = resting;
  const isCommon = others.every(({ status }) => fold(status) === fold(first?.status ?? null));
  return isCommon && resting.length > 1 ? first?.status : undefined;
}

/** How many of the listed endpoints must be left serving. A share is rounded up. */
export function leastServing({ minServing }: Pick<RolloutPolicy, 'minServing'>, listed: number) {
  if (typeof minServing === 'number') return minServing;
  return 'endpoints' in minServing
    ? minServing.endpoints
    : Math.max(0, Math.ceil((minServing.percent * listed) / 100 - 1e-9));
}

function fold(status: string | null): string | null {
  return status?.toLowerCase() ?? null;
}
