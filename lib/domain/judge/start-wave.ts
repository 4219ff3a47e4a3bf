import type { Decision } from '../decision.ts';
import type { Direction } from '../direction.ts';
import type { Observation, WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { PlannedEndpoint, RolloutPlan } from '../rollout-plan.ts';
import { chooseRolls } from './choose-rolls.ts';
import { firstPollSeconds } from './next-poll.ts';

/** What the waves before leave behind. */
type Earlier = Pick<WaveProgress, 'observations' | 'fastestRollMs'>;

const NOTHING: Earlier = { observations: [], fastestRollMs: null };

/** Begins a wave after those before it: rolls as many endpoints as may be unavailable at once. */
export function startWave(
  { request, journal }: Pick<RolloutRecord, 'request' | 'journal'>,
  plan: RolloutPlan,
  wave: number,
  earlier: Earlier = NOTHING,
): Decision {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const observations = [
    ...earlier.observations,
    ...plan.endpoints.slice(from, to).map((planned) => pendingAsPlanned(planned, plan.direction)),
  ];
  return {
    next: 'roll',
    wave,
    positions: chooseRolls(plan, observations, journal),
    seconds: firstPollSeconds(request.policy, earlier.fastestRollMs),
  };
}

/** As the plan has it, until a read tells more. */
function pendingAsPlanned(
  { previousVersion, previousTarget, isBroken, isUnsettled }: PlannedEndpoint,
  direction: Direction,
): Observation {
  const wasMoving = previousTarget !== null && previousTarget !== previousVersion;
  const isMoving = direction === 'back' ? isUnsettled === true : wasMoving;
  return {
    state: 'pending',
    reads: 1,
    ...(isMoving && { isMoving }),
    ...(isBroken && { isBroken }),
  };
}
