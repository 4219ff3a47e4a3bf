import type { Effort } from '../../domain/plan/estimate-effort.ts';
import type { TimeEstimate } from '../../domain/plan/estimate-seconds.ts';
import { describeDuration } from './describe-duration.ts';

/** What a rollout will probably take, as it stands below its plan. */
export function describeEstimate(time: TimeEstimate, effort: Effort): string[] {
  return [
    `  About ${durationOf(time.seconds)}: ${durationOf(time.bakeSeconds)} of bakes, and ${describeRounds(time)}`,
    `    ${describeSource(time)}`,
    `  About ${effort.rolls} writes and ${effort.listReads} reads of the list; on AWS ${effort.transitions} transitions and ${effort.lambdaCalls} Lambda calls`,
  ];
}

function describeRounds({ rounds, roundSeconds }: TimeEstimate): string {
  const each = durationOf(roundSeconds);
  return rounds === 1 ? `one roll of ${each}` : `${rounds} rolls one after another, ${each} each`;
}

function describeSource({ learnedFrom }: TimeEstimate): string {
  switch (learnedFrom) {
    case 0:
      return 'That is assumed: there is no past rollout to learn from';
    case 1:
      return 'A roll took that long in the last rollout that has succeeded';
    default:
      return `A roll took that long in the last ${learnedFrom} rollouts that have succeeded (median)`;
  }
}

function durationOf(seconds: number): string {
  return describeDuration(seconds * 1000);
}
