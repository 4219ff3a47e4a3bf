import { SFNClient } from '@aws-sdk/client-sfn';
import {
  readFunctionEnv,
  readStartEnv,
  type StartSettings,
} from '../../contract/functions/environment.ts';
import type { Execution } from '../../domain/ending/abandoned.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createExecutionStarter, describeExecution } from '../aws/executions.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { systemClock } from '../machine/clock.ts';
import { openEventBus, openLedger } from './lazy-ports.ts';
import { createAbandonedReport } from './telemetry.ts';

interface FunctionJanitor {
  readonly ledger: Ledger;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly stateMachineArn: string;
  readonly report: (request: AskedRequest, outcome: Outcome) => void;
}

interface FunctionSweep extends FunctionJanitor {
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

interface StartContext extends Pick<StartSettings, 'rules' | 'releases'> {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly startExecution: ReturnType<typeof createExecutionStarter>;
}

/**
 * What the start function works with, from its environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openStart(): StartContext {
  const { stateMachineArn, tableName, rules, releases } = readStartEnv(process.env);
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  const startExecution = createExecutionStarter(client, stateMachineArn);
  return {
    rules,
    releases,
    clock: systemClock,
    ledger: openLedger(tableName),
    startExecution,
  };
}
