import { hasConverged, hasFailed } from '../judge/endpoint-verdict.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { LeftOutEndpoint, PlannedEndpoint, RolloutPlan } from '../rollout-plan.ts';

/**
 * Plans the way back of a rollout that failed: every endpoint that it may have rolled goes to the
 * version that it had, in one wave. Those that are known to be broken go first, because they lose nothing by it,
 * and then those that were not surely live: what was not seen is not broken. One that somebody else moved is
 * theirs, and one whose previous version nobody knows has nowhere to go.
 */
export function planRollback(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  progress: WaveProgress,
): RolloutPlan {
  const histories = rollHistories(journal, 'forward');
  const broken: PlannedEndpoint[] = [];
  const unsettled: PlannedEndpoint[] = [];
  const healthy: PlannedEndpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  plan.endpoints.forEach((planned, position) => {
    if (!wasSent(histories.get(planned.endpointId) ?? NO_ROLLS)) return;
    const { endpointId, name, previousVersion } = planned;
    const observation = progress.observations[position];
    if (observation?.state === 'superseded') {
      leftOut.push({ endpointId, name, reason: 'moved' });
    } else if (previousVersion === null || previousVersion < 1) {
      leftOut.push({ endpointId, name, reason: 'previous-unknown' });
    } else if (observation !== undefined && hasConverged(observation)) {
      healthy.push(turnAround(planned, previousVersion));
    } else if (observation !== undefined && hasFailed(observation)) {
      broken.push({ ...turnAround(planned, previousVersion), isBroken: true });
    } else {
      unsettled.push({ ...turnAround(planned, previousVersion), isUnsettled: true });
    }
  });
  const endpoints = [...broken, ...unsettled, ...healthy];
  return {
    direction: 'back',
    endpoints,
    waves: endpoints.length === 0 ? [] : [{ from: 0, to: endpoints.length, bakeSeconds: 0 }],
    leftOut,
    maxUnavailable: plan.maxUnavailable,
  };
}

function turnAround(planned: PlannedEndpoint, previousVersion: number): PlannedEndpoint {
  return {
    ...planned,
    desiredVersion: previousVersion,
    previousVersion: planned.desiredVersion,
  };
}
