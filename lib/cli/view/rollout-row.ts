import { describeStarter } from '../../domain/events/describe-event.ts';
import type { RolloutSummary } from '../../domain/rollout.ts';
import type { Wait } from '../../domain/turn/waiting.ts';
import { describeAge } from './describe-age.ts';
import { describeDuration } from './describe-duration.ts';
import { cutTo } from './plain-text.ts';

/** Columns. Some pipelines name their releases by long ids, and `show` has them whole. */
const LONGEST_STARTER = 28;

/** A rollout of a list as people read it: what matters most stands first. */
export function toRolloutRow(rollout: RolloutSummary, now: number) {
  const { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt } = rollout;
  return {
    id: rolloutId,
    outcome: outcomeOf(rollout),
    runtime: runtimeId,
    version: desiredVersion,
    started: describeAge(startedAt, now),
    took: endedAt === null ? null : describeDuration(endedAt - startedAt),
    'started by': cutTo(describeStarter(startedBy), LONGEST_STARTER),
  };
}

const WAITS: Readonly<Record<Wait, string>> = {
  start: 'accepted',
  window: 'waits for a window',
  turn: 'waits for its turn',
  list: 'waits for the list',
};

function outcomeOf({ outcome, waiting }: RolloutSummary): string {
  if (outcome === null) return waiting === null ? 'under way' : WAITS[waiting.for];
  // Why one has succeeded is the plan; an abort is its own reason.
  const isPlain = outcome.outcome === 'Succeeded' || outcome.outcome === outcome.reason;
  return isPlain ? outcome.outcome : `${outcome.outcome}: ${outcome.reason}`;
}
