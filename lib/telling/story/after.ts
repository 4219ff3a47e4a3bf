import { listFates } from '../../domain/ending/fate.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { rolledAway } from './fates.ts';

/**
 * The newest rollout that has rolled its runtime since. `null`: none has, or nobody has looked.
 *
 * @param newer Rollouts of its runtime that have rolled something, the newest first.
 */
export function whatCameAfter(
  { request, startedAt, outcome }: Pick<AskedRollout, 'request' | 'startedAt' | 'outcome'>,
  newer: readonly RolloutSummary[],
): RolloutSummary | null {
  if (outcome === null) return null;
  const { rolloutId, runtimeId } = request;
  return (
    newer.find(
      (one) =>
        one.runtimeId === runtimeId && one.rolloutId !== rolloutId && one.startedAt >= startedAt,
    ) ?? null
  );
}

/** The ids of the endpoints that it rolled, and that nothing has rolled since: a revert would take them back. */
export function leftByLater(record: AskedRollout, later: readonly AskedRollout[]): Set<string> {
  const rolledSince = new Set(
    later.flatMap((one) =>
      listFates(one).flatMap(({ endpointId, fate }) =>
        fate === 'live' || fate === 'back' ? [endpointId] : [],
      ),
    ),
  );
  const own = rolledAway(record).map(({ before }) => before.endpointId);
  return new Set(own.filter((id) => !rolledSince.has(id)));
}
