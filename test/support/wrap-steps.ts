import { jest } from '@jest/globals';
import type { StepContext, StepPayload } from '../../lib/steps/frame/ports.ts';

type Step = (payload: StepPayload, context: StepContext) => Promise<unknown>;

/** Called in the place of a step. */
export type StepWrapper = (
  run: () => Promise<unknown>,
  step: string,
  payload: StepPayload,
) => unknown;

/**
 * Answers a `runScenario` whose workflow calls every step through `wrap`. For test files that need
 * nothing else: what was imported before stays as it is.
 */
export async function scenarioWithSteps(
  wrap: StepWrapper,
): Promise<typeof import('./run-scenario.ts')> {
  const path = '../../lib/steps/frame/ports.ts';
  const steps: typeof handle = await import('../../lib/steps/frame/ports.ts');
  jest.unstable_mockModule(path, () =>
    Object.fromEntries(
      Object.entries(steps).map(([name, step]: [string, Step]) => [
        name,
        (payload: StepPayload, context: StepContext) =>
          wrap(() => step(payload, context), name, payload),
      ]),
    ),
  );
  return import('./run-scenario.ts');
}
