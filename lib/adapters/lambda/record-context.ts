import { readFunctionEnv } from '../../contract/functions/environment.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { createEventBridgeBus } from '../events/event-bridge-bus.ts';
import { createTableLedger } from '../ledger/dynamodb/ledger.ts';
import { systemClock } from '../machine/clock.ts';

/**
 * The context of a step that does not call the service, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openRecordContext() {
  const { tableName, historyDays, eventBusName, stackName } = readFunctionEnv(process.env, [
    ...(['tableName', 'historyDays', 'eventBusName', 'stackName'] as const),
  ]);
  return {
    ledger: openLedger(tableName, historyDays),
    clock: systemClock,
    events: openEventBus(eventBusName, stackName),
  };
}

/**
 * The ledger of a function, in the table of this name. The AWS SDK is loaded with the first call, because a pipeline
 * that rolls or stops endpoints makes none.
 *
 * @param historyDays For how many days rollouts that have ended stay. @default - for ever
 */
export function openLedger(tableName: string, historyDays: number | null = null): Ledger {
  const connect = loadOnce(async () => {
    const { connectTable } = await import('../ledger/dynamodb/storage.ts');
    return connectTable(tableName, AWS_TIMEOUTS);
  });
  return createTableLedger(tableName, connect, historyDays === null ? {} : { days: historyDays });
}

/** Loads with the first call, once for all calls. When loading fails, the next call tries again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** The bus on which a function publishes the events of rollouts. The AWS SDK is loaded with the first event. */
export function openEventBus(eventBusName: string, stackName: string): OpenBus {
  const connect = loadOnce(async () => {
    const { connectEventBus } = await import('./connect-event-bus.ts');
    return connectEventBus();
  });
  return createEventBridgeBus({
    ...{ eventBusName, stackName },
    putEvent: async (entry) => (await connect())(entry),
  });
}
