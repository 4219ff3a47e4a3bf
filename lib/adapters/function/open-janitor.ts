import { SFNClient } from '@aws-sdk/client-sfn';
import { readFunctionEnv } from '../../contract/function-env.ts';
import type { Execution } from '../../domain/janitor/execution.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AskedRequest } from '../../domain/rollout.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { describeExecution } from '../aws/describe-execution.ts';
import { systemClock } from '../system-clock.ts';
import { AWS_TIMEOUTS } from './aws-timeouts.ts';
import { openEventBus } from './open-event-bus.ts';
import { openLedger } from './open-ledger.ts';
import { createAbandonedReport } from './report-abandoned.ts';

export interface FunctionJanitor {
  readonly ledger: Ledger;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly stateMachineArn: string;
  readonly report: (request: AskedRequest, outcome: Outcome) => void;
}

export interface FunctionSweep extends FunctionJanitor {
  readonly describeExecution: (executionName: string) => Promise<Execution>;
}

/**
 * What the function works with that is told of executions, from its environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openJanitor(): FunctionJanitor {
  const { tableName, eventBusName, stateMachineArn } = readFunctionEnv(process.env, [
    'tableName',
    'eventBusName',
    'stateMachineArn',
  ]);
  return {
    ledger: openLedger(tableName),
    events: openEventBus(eventBusName),
    clock: systemClock,
    stateMachineArn,
    report: createAbandonedReport(stateMachineArn),
  };
}

/** The same for the function that asks for executions itself. */
export function openSweep(): FunctionSweep {
  const janitor = openJanitor();
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  return {
    ...janitor,
    describeExecution: (executionName) =>
      describeExecution(client, janitor.stateMachineArn, executionName),
  };
}
