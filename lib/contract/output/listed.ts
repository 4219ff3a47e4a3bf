import type { RolloutSummary } from '../../domain/rollout/record.ts';
import type { Phase } from '../../domain/story/phase.ts';
import { toTime } from './event.ts';
import { toWaitingReport } from './waiting.ts';

/** One rollout of a list, as `steproll rollout list -o json` prints it. */
export type ListedRollout = ReturnType<typeof toListedRollout>;

/**
 * One rollout of a list, in the form for programs. `null` means that there is no value yet. Times are ISO 8601 in
 * UTC.
 *
 * @param phase What it does. `null`: nobody has to know, or it waits for nobody.
 */
export function toListedRollout(rollout: RolloutSummary, phase: Phase | null) {
  const { rolloutId, runtimeId, desiredVersion, startedAt, endedAt, outcome } = rollout;
  const tookMs = tookOf(rollout);
  return {
    rolloutId,
    runtimeId,
    // Of runtimes with versions of their own, `show` tells them.
    version: rollout.hasOwnVersions ? null : desiredVersion,
    versionFrom: rollout.versionFrom ?? null,
    revert: rollout.revert ?? null,
    parent: rollout.parent ?? null,
    startedBy: toStarter(rollout),
    startedAt: toTime(startedAt),
    waiting: toWaitingReport(rollout.waiting),
    approval: toApproval(phase),
    endedAt: endedAt === null ? null : toTime(endedAt),
    seconds: tookMs === null ? null : Math.round(tookMs / 1000),
    outcome: outcome?.outcome ?? null,
    failure: outcome?.failure ?? null,
    cleanup: outcome?.cleanup ?? null,
    reason: outcome?.reason ?? null,
    message: outcome?.message ?? null,
  };
}

/** The wave that waits for a person. `null`: none does. */
function toApproval(phase: Phase | null) {
  if (phase?.phase !== 'approval') return null;
  const { wave, until, onTimeout } = phase;
  return { wave, until: toTime(until), onTimeout };
}

/** From start to end in milliseconds. `null`: it has not ended, or the clock was set back and `show` knows it. */
export function tookOf({ startedAt, endedAt }: RolloutSummary): number | null {
  return endedAt === null || endedAt < startedAt ? null : endedAt - startedAt;
}

/** Who or what started a rollout, when and why. */
export function toStarter({ startedBy }: Pick<RolloutSummary, 'startedBy'>) {
  return { ...startedBy, at: toTime(startedBy.at), reason: startedBy.reason ?? null };
}
