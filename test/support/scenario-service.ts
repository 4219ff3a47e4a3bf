import { test as jestTest } from '@jest/globals';
import { REST_ABILITIES } from '../../lib/contract/service/abilities.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { WorldAbilities } from '../../lib/simulation/scenario.ts';

/** A kind of service that scenarios run on. */
interface ScenarioService {
  /** What the titles of its tests say. */
  readonly title: string;
  readonly abilities: WorldAbilities;
  /** The policy of a rollout there that says nothing else. */
  readonly policy: RolloutPolicy;
}

/** Whether it lists versions follows from the scenario. */
const { listsVersions: _, ...documented } = REST_ABILITIES;

const WITH_STOPS: ScenarioService = {
  title: '',
  abilities: documented,
  policy: DEFAULT_POLICY,
};

/** The opposite in every ability. */
const WITHOUT_STOPS: ScenarioService = {
  title: ', at a service without stops',
  abilities: {
    stops: false,
    repeatsRolls: true,
    highestVersion: 99_999,
    movedByService: ['DEFAULT'],
  },
  policy: { ...DEFAULT_POLICY, onFailure: 'roll-back' },
};

let current = WITH_STOPS;

/** The service that the scenario under way runs on. */
export function scenarioService(): Omit<ScenarioService, 'title'> {
  return current;
}

async function within(service: ScenarioService, work: () => unknown): Promise<void> {
  current = service;
  try {
    await work();
  } finally {
    current = WITH_STOPS;
  }
}

type Work = (...row: unknown[]) => unknown;

/** Tests like those of jest, once for each of these services. */
function testAt(services: readonly ScenarioService[]): typeof jestTest {
  const define = (name: string, work: Work) => {
    for (const service of services) {
      jestTest(`${name}${service.title}`, () => within(service, () => work()));
    }
  };
  const each = (table: readonly unknown[]) => (name: string, work: Work) => {
    for (const service of services) {
      jestTest.each(table as readonly object[])(`${name}${service.title}`, (...row: unknown[]) =>
        within(service, () => work(...row)),
      );
    }
  };
  return Object.assign(define, { each }) as unknown as typeof jestTest;
}

/** A test that holds at every service. It runs once at each. */
export const test = testAt([WITH_STOPS, WITHOUT_STOPS]);

/** A test of what only a service with stops, or only one that repeats no rolls, makes happen. */
export const testWithStops = testAt([WITH_STOPS]);

/** A test of what only a service makes happen that has no stops, repeats rolls and moves an endpoint by itself. */
export const testWithoutStops = testAt([WITHOUT_STOPS]);
