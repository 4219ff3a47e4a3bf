import { readStepEnv } from '../../contract/function-env.ts';
import { policyOfRuntime } from '../../contract/policies.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Gates } from '../../ports/gates.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { openGates } from '../gates/open-gates.ts';
import { systemClock } from '../system-clock.ts';
import { openLedger } from './open-ledger.ts';
import { serviceOf } from './open-service.ts';

export interface FunctionStepContext {
  readonly service: EndpointService;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly gates: Gates;
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
    service: serviceOf(settings),
    ledger: openLedger(settings.tableName),
    clock: systemClock,
    gates: openGates(),
    policyOf: (runtimeId) => policyOfRuntime(settings, runtimeId),
  };
}
