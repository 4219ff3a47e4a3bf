import { ROLL_BATCH_SIZE, SETTLING_READS } from '../defaults.ts';
import { looksOfBake } from '../judge/bake.ts';
import { firstPollSeconds, LAG_SHARE, type PollPolicy } from '../judge/next-poll.ts';
import type { PlannedWave, RolloutPlan } from '../rollout-plan.ts';

/** What a rollout asks of the service and of AWS, if nothing goes wrong and nobody has to approve. */
export interface Effort {
  /** One PUT for each endpoint. */
  readonly rolls: number;
  /** Complete reads of the list. */
  readonly listReads: number;
  /** Of Step Functions. */
  readonly transitions: number;
  readonly lambdaCalls: number;
}

/**
 * Counts what the workflow will do:
 *
 * - `polls`: for each round as many looks as come before it is done, and one to confirm it
 * - `looks`: at each wave while it bakes
 * - `batches`: of 100 endpoints at most, for each round
 * - list reads = 2 for the plan + polls + looks + batches
 * - transitions = 2 to open + 1 for each round + batches + 3 × polls + 3 × looks + 3 to close
 * - Lambda calls = 1 to open + batches + polls + looks + 1 to close
 *
 * @param roundSeconds From the roll of an endpoint until it is live.
 */
export function estimateEffort(
  plan: RolloutPlan,
  policy: PollPolicy,
  roundSeconds: number,
): Effort {
  const rounds = plan.waves.flatMap((wave) => roundsOf(wave, plan.maxUnavailable));
  const batches = sumOf(rounds.map((endpoints) => Math.ceil(endpoints / ROLL_BATCH_SIZE)));
  const polls = sumOf(rounds.map((_, index) => pollsOf(roundSeconds, policy, index === 0)));
  const looks = sumOf(plan.waves.map(({ bakeSeconds }) => looksOfBake(bakeSeconds)));
  return {
    rolls: plan.endpoints.length,
    listReads: 2 + polls + looks + batches,
    transitions: 2 + rounds.length + batches + 3 * polls + 3 * looks + 3,
    lambdaCalls: 1 + batches + polls + looks + 1,
  };
}

/** Endpoints in each round of a wave. */
function roundsOf({ from, to }: PlannedWave, maxUnavailable: number): number[] {
  const count = Math.ceil((to - from) / maxUnavailable);
  return Array.from({ length: count }, (_, index) =>
    Math.min(maxUnavailable, to - from - index * maxUnavailable),
  );
}

/** Looks at a round. How long a roll takes is not known in the first one, and known from then on. */
function pollsOf(seconds: number, policy: PollPolicy, isFirst: boolean): number {
  const { pollSeconds, maxPollSeconds } = policy;
  let at = firstPollSeconds(policy, isFirst ? null : seconds * 1000);
  let polls = 1;
  while (at < seconds) {
    const wanted = isFirst ? at * LAG_SHARE : seconds - at;
    at += Math.ceil(Math.min(maxPollSeconds, Math.max(pollSeconds, wanted)));
    polls += 1;
  }
  return polls + SETTLING_READS - 1;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
