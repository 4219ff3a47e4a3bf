import { type FunctionSettings, readFunctionEnv } from '../../contract/function-env.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { systemClock } from '../system-clock.ts';
import { openEventBus } from './open-event-bus.ts';
import { openLedger } from './open-ledger.ts';

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
