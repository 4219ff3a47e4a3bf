import { describeStarter } from '../../domain/events/describe-event.ts';
import type { RolloutSummary } from '../../domain/rollout.ts';
import { describeAge } from './describe-age.ts';
import { describeDuration } from './describe-duration.ts';

/** A rollout of a list as people read it: what matters most stands first. */
export function toRolloutRow(rollout: RolloutSummary, now: number) {
  const { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt } = rollout;
  return {
    id: rolloutId,
    runtime: runtimeId,
    version: desiredVersion,
    started: describeAge(startedAt, now),
    outcome: outcomeOf(rollout),
    took: endedAt === null ? null : describeDuration(endedAt - startedAt),
    'started by': describeStarter(startedBy),
  };
}

function outcomeOf({ outcome }: RolloutSummary): string {
  if (outcome === null) return 'under way';
  // Why one has succeeded is the plan; an abort is its own reason.
  const isPlain = outcome.outcome === 'Succeeded' || outcome.outcome === outcome.reason;
  return isPlain ? outcome.outcome : `${outcome.outcome}: ${outcome.reason}`;
}
