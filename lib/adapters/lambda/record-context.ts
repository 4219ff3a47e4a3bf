import { type FunctionSettings, readFunctionEnv } from '../../contract/functions/environment.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { systemClock } from '../machine/clock.ts';
import { openEventBus, openLedger } from './lazy-ports.ts';

export interface FunctionRecordContext {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: EventBus;
}

/**
 * What a step works with that calls no service, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openRecordContext(): FunctionRecordContext {
  return recordContextOf(readFunctionEnv(process.env, ['tableName', 'eventBusName']));
}

export function recordContextOf({
  tableName,
  eventBusName,
}: Pick<FunctionSettings, 'tableName' | 'eventBusName'>): FunctionRecordContext {
  return {
    ledger: openLedger(tableName),
    clock: systemClock,
    events: openEventBus(eventBusName),
  };
}
