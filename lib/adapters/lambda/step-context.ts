import { policyOfRuntime } from '../../contract/config/policies.ts';
import { readFunctionEnv, SERVICE_SETTINGS } from '../../contract/functions/environment.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { openAuth } from '../credentials/open-auth.ts';
import { openGates } from '../gates/gates.ts';
import { systemClock } from '../machine/clock.ts';
import { createEndpointClient } from '../services/rest/client.ts';
import { openLedger, openRecordContext } from './record-context.ts';

// These functions read from the environment what the functions that call the service need. All of them throw
// `InvalidInput` when the environment is not what the deployment writes.

/** The context of a step that looks at the endpoints. */
export function openStepContext() {
  return { ...openRecordContext(), service: openService() };
}

/**
 * The context of the step that opens a rollout. Only this step needs the policies: afterwards the rollout's policy is
 * in the ledger.
 */
export function openOpeningContext() {
  const { policies } = readFunctionEnv(process.env, ['policies']);
  return {
    ...openStepContext(),
    policyOf: (runtimeId: string) => policyOfRuntime(policies, runtimeId),
  };
}

/** The context of the step that asks the gates. */
export function openVerifyContext() {
  return { ...openStepContext(), gates: openGates() };
}

/** The context of a step that writes to endpoints. It publishes no events, so it has no bus. */
export function openWriteContext() {
  const { tableName } = readFunctionEnv(process.env, ['tableName']);
  return { ledger: openLedger(tableName), service: openService(), clock: systemClock };
}

/**
 * The context of the function that creates endpoints. It has a clock, because it may have to wait before it looks
 * again.
 */
export function openCreate() {
  return { service: openService(), clock: systemClock };
}

export function openService(): EndpointService {
  const { endpointUrl, auth, wire } = readFunctionEnv(process.env, SERVICE_SETTINGS);
  return createEndpointClient({
    baseUrl: endpointUrl,
    auth: openAuth(auth),
    wire,
    clock: systemClock,
  });
}
