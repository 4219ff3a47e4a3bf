import { hasConverged } from '../judge/endpoint-verdict.ts';
import type { Cleanup } from '../outcome.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { Rollback } from '../rollout-plan.ts';

/** What was done about the endpoints that were rolled, and the sentence that says so. */
export interface CleanupReport {
  readonly cleanup: Cleanup;
  /** Begins with a space, or is empty. */
  readonly words: string;
}

const MAX_NAMES = 3;

/**
 * How far the way back has got. What is not back stays as it is, and nothing is ever stopped for it. What had been
 * stopped before is no part of it.
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
