import type { Decision } from '../decision.ts';
import type { JournalEntry, Observation, RolloutPlan } from '../rollout.ts';
import { chooseRolls } from './choose-rolls.ts';
import { isAnyAccepted } from './roll-history.ts';

const PENDING: Observation = { state: 'pending', reads: 1 };

/** Begins a wave after those before it: rolls as many endpoints as may be unavailable at once. */
export function startWave(
  plan: RolloutPlan,
  wave: number,
  earlier: readonly Observation[],
  journal: readonly JournalEntry[],
): Decision {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const observations = [...earlier, ...Array.from({ length: to - from }, () => PENDING)];
  const positions = chooseRolls(observations, plan.maxUnavailable, isAnyAccepted(journal));
  return { next: 'roll', wave, positions };
}
