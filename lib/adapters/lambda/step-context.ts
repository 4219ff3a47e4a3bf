import { policyOfRuntime } from '../../contract/config/policies.ts';
import {
  readFunctionEnv,
  SERVICE_SETTINGS,
  type ServiceSettings,
} from '../../contract/functions/environment.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Gates } from '../../ports/gates.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { openAuth } from '../credentials/open-auth.ts';
import { openGates } from '../gates/gates.ts';
import { systemClock } from '../machine/clock.ts';
import { createEndpointClient } from '../services/rest/client.ts';
import { openLedger } from './lazy-ports.ts';
import { type FunctionRecordContext, recordContextOf } from './record-context.ts';

interface FunctionStepContext extends FunctionRecordContext {
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

interface FunctionOpeningContext extends FunctionStepContext {
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

/**
 * The service that a function calls, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openService(): EndpointService {
  return serviceOf(readFunctionEnv(process.env, SERVICE_SETTINGS));
}

/** What the function works with that creates endpoints: it may have to wait before it looks again. */
export function openCreate(): { readonly service: EndpointService; readonly clock: Clock } {
  return { service: openService(), clock: systemClock };
}

function serviceOf({ endpointUrl, auth, wire }: ServiceSettings): EndpointService {
  return createEndpointClient({
    baseUrl: endpointUrl,
    auth: openAuth(auth),
    wire,
    clock: systemClock,
  });
}

interface FunctionVerifyContext extends FunctionStepContext {
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

interface FunctionWriteContext {
  readonly ledger: Ledger;
  readonly service: EndpointService;
  readonly clock: Clock;
}

/**
 * What a step works with that writes to endpoints, from the function's environment: it tells nothing, so it
 * has no bus.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openWriteContext(): FunctionWriteContext {
  const settings = readFunctionEnv(process.env, ['tableName', ...SERVICE_SETTINGS]);
  return {
    ledger: openLedger(settings.tableName),
    service: serviceOf(settings),
    clock: systemClock,
  };
}
