import { test as jestTest } from '@jest/globals';
import { onService, type ScenarioService, WITH_STOPS, WITHOUT_STOPS } from './scenario-service.ts';

// Simulations run without jest, so its tests are apart from the services.

type Work = (...row: unknown[]) => unknown;

/** Tests like those of jest, once for each of these services. */
function testAt(services: readonly ScenarioService[]): typeof jestTest {
  const define = (name: string, work: Work) => {
    for (const service of services) {
      jestTest(`${name}${service.title}`, () => onService(service, () => work()));
    }
  };
  const each = (table: readonly unknown[]) => (name: string, work: Work) => {
    for (const service of services) {
      jestTest.each(table as readonly object[])(`${name}${service.title}`, (...row: unknown[]) =>
        onService(service, () => work(...row)),
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
