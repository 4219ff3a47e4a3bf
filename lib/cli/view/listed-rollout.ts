import { toWaitingReport } from '../../contract/waiting-report.ts';
import type { RolloutSummary } from '../../domain/rollout.ts';

/** A rollout of a list as programs get it: `null` is what there is not yet, times are ISO 8601 in UTC. */
export function toListedRollout(rollout: RolloutSummary) {
  const { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt, outcome } = rollout;
  return {
    rolloutId,
    runtimeId,
    version: desiredVersion,
    versionFrom: rollout.versionFrom ?? null,
    startedBy: { ...startedBy, at: toTime(startedBy.at) },
    startedAt: toTime(startedAt),
    waiting: toWaitingReport(rollout.waiting),
    endedAt: endedAt === null ? null : toTime(endedAt),
    seconds: endedAt === null ? null : Math.round((endedAt - startedAt) / 1000),
    outcome: outcome?.outcome ?? null,
    cleanup: outcome?.cleanup ?? null,
    reason: outcome?.reason ?? null,
    message: outcome?.message ?? null,
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
