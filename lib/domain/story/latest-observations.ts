import { activePlan } from '../active-plan.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { Observation } from '../observation.ts';
import type { AskedRollout } from '../rollout.ts';

/**
 * What is known of each endpoint of the plan that is followed now, by its place in the plan. The journal
 * knows of a roll before the next read of the list does, which may be half a minute later.
 */
export function latestObservations(record: AskedRollout): Observation[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const { direction, endpoints } = plan;
  // What was seen on the way forward says nothing about the way back.
  const seen = record.progress?.direction === direction ? record.progress.observations : [];
  const histories = rollHistories(record.journal, direction);
  return endpoints.map(({ endpointId }, place) => {
    const observation = seen[place] ?? PENDING;
    const isRolled = wasSent(histories.get(endpointId) ?? NO_ROLLS);
    return observation.state === 'pending' && isRolled ? REQUESTED : observation;
  });
}

const PENDING: Observation = { state: 'pending', reads: 1 };
const REQUESTED: Observation = { state: 'requested', reads: 1 };
