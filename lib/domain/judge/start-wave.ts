import type { Decision } from '../decision.ts';
import type { Observation, RolloutPlan } from '../rollout.ts';
import { chooseRolls } from './choose-rolls.ts';

const PENDING: Observation = { state: 'pending', reads: 1 };

/** Begins a wave: rolls as many of its endpoints as may be unavailable at once. */
export function startWave(plan: RolloutPlan, wave: number, isAccepted: boolean): Decision {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const untouched = Array.from({ length: to - from }, () => PENDING);
  const chosen = chooseRolls(untouched, plan.maxUnavailable, isAccepted);
  return { next: 'roll', wave, positions: chosen.map((position) => from + position) };
}
