import type { Endpoint } from '../endpoint.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { RolloutPolicy } from '../policy.ts';
import type { LeftOutEndpoint, PlannedEndpoint, RolloutPlan } from '../rollout.ts';
import { isConverged, isFailed, isStopped } from '../status.ts';
import { splitWaves } from './split-waves.ts';
import { endpointsOf } from './wave-size.ts';

/**
 * Decides which endpoints are rolled, in which order and in which waves. A stopped endpoint is left
 * out, and so is one that has converged on the desired version already.
 *
 * @throws `EmptyScope` when there is no endpoint that a rollout may touch.
 */
export function planRollout(
  endpoints: readonly Endpoint[],
  desiredVersion: number,
  policy: RolloutPolicy,
): RolloutPlan {
  const selection: Endpoint[] = [];
  const work: Endpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  for (const endpoint of [...endpoints].sort(byName)) {
    const { id: endpointId, name } = endpoint;
    if (isStopped(endpoint, policy.statuses)) {
      leftOut.push({ endpointId, name, reason: 'stopped' });
      continue;
    }
    selection.push(endpoint);
    if (isConverged(endpoint, desiredVersion, policy.statuses)) {
      leftOut.push({ endpointId, name, reason: 'at-version' });
    } else {
      work.push(endpoint);
    }
  }
  if (selection.length === 0) throw emptyScope(endpoints.length);
  return {
    endpoints: work.map((endpoint) => planEndpoint(endpoint, policy)),
    waves: splitWaves(work.length, policy.waves),
    leftOut,
    maxUnavailable: endpointsOf(policy.maxUnavailable, selection.length),
  };
}

function planEndpoint(endpoint: Endpoint, policy: RolloutPolicy): PlannedEndpoint {
  return {
    endpointId: endpoint.id,
    name: endpoint.name,
    previousVersion: endpoint.liveVersion,
    previousTarget: endpoint.targetVersion,
    failedBefore: isFailed(endpoint, policy.statuses),
  };
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

/** `web-2` before `web-10`; the id decides between equal names, so the order is always the same. */
function byName(a: Endpoint, b: Endpoint): number {
  return (
    naturalOrder.compare(a.name ?? a.id, b.name ?? b.id) || (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function emptyScope(total: number): SteprollError {
  const message =
    total === 0
      ? 'The runtime has no endpoints.'
      : `The runtime has no endpoint to roll: all ${total} are stopped.`;
  return new SteprollError(ErrorName.EmptyScope, message);
}
