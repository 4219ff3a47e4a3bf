import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { hasFailed, isStillLive, type Observation } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { findStopsSent } from '../endpoint/stops.ts';
import type { LeftOutEndpoint, LeftOutReason, RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

/**
 * Plans the rollback of a rollout that failed: every endpoint that it may have rolled goes back to the version that
 * it had, in one wave. Endpoints that are known to be broken go first, because they lose nothing by it. Then come
 * those that were not surely live: an endpoint that was not seen is not broken.
 *
 * Three kinds of endpoints are left out. An endpoint that somebody else moved is theirs. One whose previous version
 * nobody knows has nowhere to go. One whose stop was sent stays stopped, because nobody knows what a roll would do to
 * it.
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
  plan.endpoints.forEach((planned, index) => {
    if (!wasSent(histories.get(planned.endpointId) ?? NO_ATTEMPTS)) return;
    const { endpointId, name, previousVersion } = planned;
    const observation = progress.observations[index];
    const reason = reasonToLeave(planned, observation, stopped);
    if (reason !== undefined || previousVersion === null) {
      leftOut.push({ endpointId, name, reason: reason ?? 'previous-unknown' });
    } else if (observation && isStillLive(observation)) {
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
    ...(plan.maxAtRisk !== undefined && { maxAtRisk: plan.maxAtRisk }),
  };
}

function reasonToLeave(
  { endpointId, previousVersion }: PlannedEndpoint,
  observation: Observation | undefined,
  stopped: ReadonlySet<string>,
): LeftOutReason | undefined {
  if (stopped.has(endpointId)) return 'stopped';
  if (observation?.state === 'superseded') return 'moved';
  if (observation?.state === 'taken-back') return 'at-version';
  return previousVersion === null || previousVersion < 1 ? 'previous-unknown' : undefined;
}

function turnAround(planned: PlannedEndpoint, previousVersion: number): PlannedEndpoint {
  return {
    ...planned,
    desiredVersion: previousVersion,
    previousVersion: planned.desiredVersion,
  };
}
