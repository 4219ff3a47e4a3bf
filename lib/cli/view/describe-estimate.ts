import type { Estimate } from '../../domain/plan/estimate-rollout.ts';
import { describeDuration } from './describe-duration.ts';

/** An estimate, and what it rests on. */
export interface LearnedEstimate extends Estimate {
  /** What a roll is taken for, in seconds. */
  readonly roundSeconds: number;
  /** Past rollouts that this was learned from; 0: it is assumed. */
  readonly learnedFrom: number;
}

/** What a rollout will take if all goes well, as it stands below its plan. */
export function describeEstimate(estimate: LearnedEstimate): string[] {
  const { seconds, bakeSeconds, rounds, rolls, listReads, transitions, lambdaCalls } = estimate;
  const ofRolls = durationOf(seconds - bakeSeconds);
  const inTurn = rounds === 1 ? 'one roll' : `${rounds} rolls one after another`;
  return [
    `  About ${durationOf(seconds)}: ${durationOf(bakeSeconds)} of bakes, and ${ofRolls} for ${inTurn}`,
    `    A roll is taken for ${describeSource(estimate)}`,
    `  About ${rolls} writes and ${listReads} reads of the list; on AWS ${transitions} transitions and ${lambdaCalls} Lambda calls`,
  ];
}

function describeSource({ roundSeconds, learnedFrom }: LearnedEstimate): string {
  const each = durationOf(roundSeconds);
  switch (learnedFrom) {
    case 0:
      return `${each}: there is no past rollout to learn from`;
    case 1:
      return `${each}, as in the last rollout that has succeeded`;
    default:
      return `${each}, as in the last ${learnedFrom} rollouts that have succeeded (median)`;
  }
}

function durationOf(seconds: number): string {
  return describeDuration(seconds * 1000);
}
