import { readFunctionEnv, SERVICE_SETTINGS } from '../../contract/function-env.ts';
import { policyOfRuntime } from '../../contract/policies.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { type FunctionRecordContext, recordContextOf } from './open-record-context.ts';
import { serviceOf } from './open-service.ts';

export interface FunctionStepContext extends FunctionRecordContext {
  readonly service: EndpointService;
}

/**
 * What a step works with, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openStepContext(): FunctionStepContext {
  const settings = readFunctionEnv(process.env, ['tableName', 'eventBusName', ...SERVICE_SETTINGS]);
  return { ...recordContextOf(settings), service: serviceOf(settings) };
}

export interface FunctionOpeningContext extends FunctionStepContext {
  readonly policyOf: (runtimeId: string) => RolloutPolicy;
}

/** The same for the step that opens a rollout: from then on its policy is in the ledger. */
export function openOpeningContext(): FunctionOpeningContext {
  const { policies } = readFunctionEnv(process.env, ['policies']);
  return {
    ...openStepContext(),
    policyOf: (runtimeId) => policyOfRuntime(policies, runtimeId),
  };
}
