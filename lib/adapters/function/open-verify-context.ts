import type { Gates } from '../../ports/gates.ts';
import { openGates } from '../gates/open-gates.ts';
import { type FunctionStepContext, openStepContext } from './open-step-context.ts';

export interface FunctionVerifyContext extends FunctionStepContext {
  readonly gates: Gates;
}

/**
 * What the step works with that asks the gates, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openVerifyContext(): FunctionVerifyContext {
  return { ...openStepContext(), gates: openGates() };
}
