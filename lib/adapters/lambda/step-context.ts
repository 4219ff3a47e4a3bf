import { policyOfRuntime } from '../../contract/config/policies.ts';
import { readFunctionEnv, SERVICE_SETTINGS } from '../../contract/functions/environment.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { openAuth } from '../credentials/open-auth.ts';
import { openGates } from '../gates/gates.ts';
import { systemClock } from '../machine/clock.ts';
import { createEndpointClient } from '../services/rest/client.ts';
import { openLedger, openRecordContext } from './record-context.ts';

// What functions work with that call the service, from their environment. All of them throw `InvalidInput`
// when it is not what the deployment writes.

/** What a step works with that looks at the endpoints. */
export function openStepContext() {
  return { ...openRecordContext(), service: openService() };
}

/** The same for the step that opens a rollout: from then on its policy is in the ledger. */
export function openOpeningContext() {
  const { policies } = readFunctionEnv(process.env, ['policies']);
  return {
    ...openStepContext(),
    policyOf: (runtimeId: string) => policyOfRuntime(policies, runtimeId),
  };
}

/** The same for the step that asks the gates. */
export function openVerifyContext() {
  return { ...openStepContext(), gates: openGates() };
}

/** What a step works with that writes to endpoints: it tells nothing, so it has no bus. */
export function openWriteContext() {
  const { tableName } = readFunctionEnv(process.env, ['tableName']);
  return { ledger: openLedger(tableName), service: openService(), clock: systemClock };
}

/** What the function works with that creates endpoints: it may have to wait before it looks again. */
export function openCreate() {
  return { service: openService(), clock: systemClock };
}

/** The service that a function calls. */
export function openService(): EndpointService {
  const { endpointUrl, auth, wire } = readFunctionEnv(process.env, SERVICE_SETTINGS);
  return createEndpointClient({
    baseUrl: endpointUrl,
    auth: openAuth(auth),
    wire,
    clock: systemClock,
  });
}
