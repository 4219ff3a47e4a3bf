import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { countRounds } from './count-rounds.ts';

export interface TimeEstimate {
  /** Of the whole rollout, without the time that people take to approve. */
  readonly seconds: number;
  readonly bakeSeconds: number;
  readonly rounds: number;
  /** From a roll to the next one that has to wait for it. */
  readonly roundSeconds: number;
  /** Past rollouts that this was learned from; 0: it is assumed. */
  readonly learnedFrom: number;
}

/** What a round is taken for where there is nothing to learn from. */
const ASSUMED_ROUND_SECONDS = 60;

/**
 * How long a plan takes: its bakes, which are known, and the median round of the past for each of its rounds.
 *
 * @param past Seconds of a round in each past rollout, as `roundSecondsOf` answers them.
 */
export function estimateSeconds(plan: RolloutPlan, past: readonly number[]): TimeEstimate {
  const roundSeconds = Math.round(medianOf(past) ?? ASSUMED_ROUND_SECONDS);
  const bakeSeconds = bakeSecondsOf(plan);
  const rounds = countRounds(plan);
  const seconds = bakeSeconds + rounds * roundSeconds;
  return { seconds, bakeSeconds, rounds, roundSeconds, learnedFrom: past.length };
}

/**
 * Seconds of a round in a rollout that has succeeded, on the average. `null` where there is nothing to learn: it did
 * not succeed, had nothing to roll, or waited for people.
 */
export function roundSecondsOf(record: RolloutRecord): number | null {
  const { request, plan, startedAt, endedAt, outcome } = record;
  if (outcome?.outcome !== 'Succeeded' || endedAt === null || plan === null) return null;
  if (plan.waves.length === 0 || request.policy.verify.approval !== null) return null;
  const rolledSeconds = (endedAt - startedAt) / 1000 - bakeSecondsOf(plan);
  return Math.max(0, rolledSeconds) / countRounds(plan);
}

function bakeSecondsOf({ waves }: RolloutPlan): number {
  return waves.reduce((sum, { bakeSeconds }) => sum + bakeSeconds, 0);
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return sorted.length === 0 ? undefined : (low + high) / 2;
}
