import { readStepEnv } from '../../contract/function-env.ts';
import { policyOfRuntime } from '../../contract/policies.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { type FunctionRecordContext, recordContextOf } from './open-record-context.ts';
import { serviceOf } from './open-service.ts';

export interface FunctionStepContext extends FunctionRecordContext {
  readonly service: EndpointService;
  readonly policyOf: (runtimeId: string) => RolloutPolicy;
}

/**
 * What a step works with, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openStepContext(): FunctionStepContext {
  const settings = readStepEnv(process.env);
  return {
    ...recordContextOf(settings),
    service: serviceOf(settings),
    policyOf: (runtimeId) => policyOfRuntime(settings, runtimeId),
  };
}
