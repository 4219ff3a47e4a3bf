import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { hasConverged, hasFailed, type Observation } from '../endpoint/observation.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../endpoint/rolls.ts';
import { findStopsSent } from '../endpoint/stops.ts';
import type { Cleanup } from '../rollout/outcome.ts';
import type { LeftOutEndpoint, LeftOutReason, Rollback, RolloutPlan } from '../rollout/plan.ts';
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

/** What was done with the endpoints that were rolled, and the sentence that says so. */
export interface CleanupReport {
  readonly cleanup: Cleanup;
  /** The sentence. It begins with a space, or it is empty. */
  readonly words: string;
}

const MAX_NAMES = 3;

/**
 * How far the rollback has got. An endpoint that is not back stays as it is, and none is ever stopped for it.
 * Endpoints that had been stopped before the rollback are not part of it.
 */
export function reportRollback(
  { plan }: Rollback,
  progress: RolloutRecord['progress'],
): CleanupReport {
  const observations = progress?.direction === 'back' ? progress.observations : [];
  const moved = plan.endpoints.filter(
    (_, position) => observations[position]?.state === 'superseded',
  );
  const missing = plan.endpoints.filter((_, position) => {
    const observation = observations[position];
    return observation?.state !== 'superseded' && !(observation && hasConverged(observation));
  });
  const stopped = plan.leftOut.filter(({ reason }) => reason === 'stopped');
  const nowhere = plan.leftOut.filter(({ reason }) => reason === 'previous-unknown');
  const taken = moved.length + plan.leftOut.length - nowhere.length - stopped.length;
  const notBack = [...missing, ...nowhere].map(({ name, endpointId }) => name ?? endpointId);
  const total = plan.endpoints.length + plan.leftOut.length - stopped.length;
  if (total === 0) return { cleanup: 'none', words: '' };
  const back = total - taken - notBack.length;
  const parts = [
    `${back} of ${total} on their previous versions`,
    ...(taken > 0 ? [`${taken} in the hands of somebody else`] : []),
    ...(notBack.length > 0 ? [`not back: ${listNames(notBack)}`] : []),
  ];
  return { cleanup: cleanupOf(notBack.length, taken), words: ` Rolled back: ${parts.join(', ')}.` };
}

function cleanupOf(notBack: number, taken: number): Cleanup {
  if (notBack > 0) return 'incomplete';
  return taken > 0 ? 'kept' : 'rolledBack';
}

function listNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return rest > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${rest} more` : names.join(', ');
}
