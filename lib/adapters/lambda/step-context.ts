import { checkLateUrls } from '../../contract/config/allowed-origins.ts';
import { readFunctionEnv } from '../../contract/functions/environment.ts';
import { SERVICES } from '../../contract/service/services.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { withoutCommands } from '../gates/check.ts';
import { openGates } from '../gates/gates.ts';
import type { OpenSockets } from '../http/network.ts';
import { systemClock } from '../machine/clock.ts';
import { openEndpointService, openNetwork } from '../services/open-service.ts';
import type { StartExecution } from './connect-step-functions.ts';
import { loadOnce, openLedger, openRecordContext } from './record-context.ts';

// These functions read from the environment what the functions that call the service need. All of them throw
// `InvalidInput` when the environment is not what the deployment writes.

export async function openStepContext(openSockets?: OpenSockets) {
  return { ...openRecordContext(), service: await openService(openSockets) };
}

export async function openVerifyContext() {
  // What was read of certificates is read once for the service and the gates.
  const openSockets = await openCalls();
  const gates = withoutCommands(openGates(openSockets));
  return { ...(await openStepContext(openSockets)), gates };
}

/** For steps that write to endpoints: without a bus, and with words of statuses for pipelines. */
export async function openWriteContext() {
  const { tableName, historyDays, service } = readFunctionEnv(process.env, [
    ...(['tableName', 'historyDays', 'service'] as const),
  ]);
  const { statuses } = SERVICES[service.kind].policy;
  return {
    ...{ ledger: openLedger(tableName, historyDays), clock: systemClock, statuses },
    service: await openService(),
  };
}

/** The context of the step that rolls: the endpoints of a group are runtimes, and their rollouts are executions. */
export async function openRollContext() {
  return { ...(await openWriteContext()), startExecution: openExecutionStarter() };
}

/** The AWS SDK is loaded with the first start, because most rollouts are not of a group. */
function openExecutionStarter(): StartExecution {
  const connect = loadOnce(async () => {
    const { connectStepFunctions } = await import('./connect-step-functions.ts');
    return connectStepFunctions();
  });
  return async (...start) => (await connect())(...start);
}

/** For the function that creates endpoints: with a clock, because it may have to wait before it looks again. */
export async function openCreate() {
  return { service: await openService(), clock: systemClock };
}

export async function openService(given?: OpenSockets): Promise<EndpointService> {
  const { service } = readFunctionEnv(process.env, ['service']);
  const openSockets = given ?? (await openCalls());
  return openEndpointService(service, { clock: systemClock, openSockets });
}

function openCalls(): Promise<OpenSockets> {
  const { service, network, urls } = readFunctionEnv(process.env, ['service', 'network', 'urls']);
  if (urls !== null) checkLateUrls({ service, ...network }, urls);
  return openNetwork(network);
}
