import { readFunctionEnv, SERVICE_SETTINGS } from '../../contract/function-env.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { systemClock } from '../system-clock.ts';
import { openLedger } from './open-ledger.ts';
import { serviceOf } from './open-service.ts';

export interface FunctionWriteContext {
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
