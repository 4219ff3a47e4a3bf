import { POLICIES_FILE, readPolicies } from '../../contract/functions/code-files.ts';
import { readFunctionEnv } from '../../contract/functions/environment.ts';
import { SERVICES } from '../../contract/service/services.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { openGates } from '../gates/gates.ts';
import { systemClock } from '../machine/clock.ts';
import { openEndpointService } from '../services/open-service.ts';
import { readCodeFile } from './code-file.ts';
import { openLedger, openRecordContext } from './record-context.ts';

// These functions read from the environment what the functions that call the service need. All of them throw
// `InvalidInput` when the environment is not what the deployment writes.

/** The context of a step that looks at the endpoints. */
export async function openStepContext() {
  return { ...openRecordContext(), service: await openService() };
}

/**
 * The context of the step that opens a rollout. Only this step needs the policies: afterwards the rollout's policy is
 * in the ledger.
 */
export async function openOpeningContext() {
  const { service } = readFunctionEnv(process.env, ['service']);
  const policyOf = readPolicies(readCodeFile(POLICIES_FILE), service);
  return { ...(await openStepContext()), policyOf };
}

/** The context of the step that asks the gates. */
export async function openVerifyContext() {
  return { ...(await openStepContext()), gates: openGates() };
}

/**
 * The context of a step that writes to endpoints. It publishes no events, so it has no bus. The words of statuses are
 * for pipelines, which have no policy.
 */
export async function openWriteContext() {
  const { tableName, service } = readFunctionEnv(process.env, ['tableName', 'service']);
  const { statuses } = SERVICES[service.kind].policy;
  return {
    ...{ ledger: openLedger(tableName), clock: systemClock, statuses },
    service: await openService(),
  };
}

/**
 * The context of the function that creates endpoints. It has a clock, because it may have to wait before it looks
 * again.
 */
export async function openCreate() {
  return { service: await openService(), clock: systemClock };
}

export async function openService(): Promise<EndpointService> {
  const { service } = readFunctionEnv(process.env, ['service']);
  return openEndpointService(service, { clock: systemClock });
}
