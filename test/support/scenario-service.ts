import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { WorldAbilities } from '../../lib/simulation/scenario.ts';
import { WHOLE_POLICY } from './whole-policy.ts';

/** A kind of service that scenarios run on. */
export interface ScenarioService {
  /** What the titles of its tests say. */
  readonly title: string;
  readonly abilities: WorldAbilities;
  /** The policy of a rollout there that says nothing else. */
  readonly policy: RolloutPolicy;
}

/** Whether it lists versions follows from the scenario. */
const { listsVersions: _, ...documented } = REST_ABILITIES;

export const WITH_STOPS: ScenarioService = {
  title: '',
  abilities: documented,
  policy: WHOLE_POLICY,
};

/** The opposite in every ability. */
export const WITHOUT_STOPS: ScenarioService = {
  title: ', at a service without stops',
  abilities: {
    stops: false,
    repeatsRolls: true,
    highestVersion: 99_999,
    movedByService: ['DEFAULT'],
  },
  policy: { ...WHOLE_POLICY, onFailure: 'roll-back' },
};

let current: Omit<ScenarioService, 'title'> = WITH_STOPS;

/** The service that the scenario under way runs on. */
export function scenarioService(): Omit<ScenarioService, 'title'> {
  return current;
}

/** Runs a scenario on this service. */
export async function onService<T>(
  service: Omit<ScenarioService, 'title'>,
  work: () => T | Promise<T>,
): Promise<T> {
  const before = current;
  current = service;
  try {
    return await work();
  } finally {
    current = before;
  }
}
