import { jest } from '@jest/globals';
import type { StepContext, StepPayload } from '../../lib/steps/frame/ports.ts';

type Step = (payload: StepPayload, context: StepContext) => Promise<unknown>;

/** One for each step of the workflow. */
const STEP_FILES = [
  'open-rollout',
  'roll-batch',
  'check-wave',
  'verify-wave',
  'turn-around',
  'stop-batch',
  'close-rollout',
] as const;

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
  for (const file of STEP_FILES) {
    const path = `../../lib/steps/${file}.ts`;
    const module = (await import(path)) as Readonly<Record<string, unknown>>;
    const wrapped = Object.entries(module).map(([name, step]) =>
      name.startsWith('handle') ? [name, wrapStep(name, step as Step)] : [name, step],
    );
    jest.unstable_mockModule(path, () => Object.fromEntries(wrapped));
  }
  function wrapStep(name: string, step: Step): Step {
    return async (payload, context) => wrap(() => step(payload, context), name, payload);
  }
  return import('./run-scenario.ts');
}
