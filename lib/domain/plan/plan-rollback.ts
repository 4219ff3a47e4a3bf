import { findStopsSent } from '../journal.ts';
import { hasConverged, hasFailed } from '../judge/endpoint-verdict.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { Observation, WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type {
  LeftOutEndpoint,
  LeftOutReason,
  PlannedEndpoint,
  RolloutPlan,
} from '../rollout-plan.ts';

/**
 * Plans the way back of a rollout that failed: every endpoint that it may have rolled goes to the
 * version that it had, in one wave. Those that are known to be broken go first, because they lose nothing by it,
 * and then those that were not surely live: what was not seen is not broken. One that somebody else moved is
 * theirs, one whose previous version nobody knows has nowhere to go, and one whose stop was sent stays stopped:
 * nobody knows what a roll would make of it.
 */
export function planRollback(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  progress: WaveProgress,
): RolloutPlan {
  const histories = rollHistories(journal, 'forward');
  const stopped = findStopsSent(journal);
  const broken: PlannedEndpoint[] = [];
  const unsettled: PlannedEndpoint[] = [];
  const healthy: PlannedEndpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  plan.endpoints.forEach((planned, position) => {
    if (!wasSent(histories.get(planned.endpointId) ?? NO_ROLLS)) return;
    const { endpointId, name, previousVersion } = planned;
    const observation = progress.observations[position];
    const reason = reasonToLeave(planned, observation, stopped);
    if (reason !== undefined || previousVersion === null) {
      leftOut.push({ endpointId, name, reason: reason ?? 'previous-unknown' });
    } else if (observation && hasConverged(observation)) {
      healthy.push(turnAround(planned, previousVersion));
    } else if (observation && hasFailed(observation)) {
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

function reasonToLeave(
  { endpointId, previousVersion }: PlannedEndpoint,
  observation: Observation | undefined,
  stopped: ReadonlySet<string>,
): LeftOutReason | undefined {
  if (stopped.has(endpointId)) return 'stopped';
  if (observation?.state === 'superseded') return 'moved';
  return previousVersion === null || previousVersion < 1 ? 'previous-unknown' : undefined;
}

function turnAround(planned: PlannedEndpoint, previousVersion: number): PlannedEndpoint {
  return {
    ...planned,
    desiredVersion: previousVersion,
    previousVersion: planned.desiredVersion,
  };
}
