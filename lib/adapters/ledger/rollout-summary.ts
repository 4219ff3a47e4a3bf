import type { StoredRequest } from '../../contract/ledger/records.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';

/** What a list shows of one rollout, for every kind of storage. */
export function toSummary(
  { request, waiting }: StoredRequest,
  { startedAt, endedAt, outcome }: Pick<RolloutSummary, 'startedAt' | 'endedAt' | 'outcome'>,
): RolloutSummary {
  const { rolloutId, runtimeId, desiredVersion, versionFrom, revert, versions, parent, startedBy } =
    request;
  return {
    rolloutId,
    runtimeId,
    desiredVersion,
    ...(versionFrom !== undefined && { versionFrom }),
    ...(revert !== undefined && { revert }),
    ...(versions !== undefined && { hasOwnVersions: true as const }),
    ...(parent !== undefined && { parent }),
    startedBy,
    startedAt,
    waiting: outcome === null ? waiting : null,
    endedAt,
    outcome,
  };
}
