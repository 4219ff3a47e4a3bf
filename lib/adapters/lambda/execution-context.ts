import { SFNClient } from '@aws-sdk/client-sfn';
import { readFunctionEnv, readStartEnv } from '../../contract/functions/environment.ts';
import { createExecutionStarter, describeExecution } from '../aws/executions.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { systemClock } from '../machine/clock.ts';
import { openLedger, openRecordContext } from './record-context.ts';
import { createAbandonedReport } from './telemetry.ts';

// These functions read from the environment what the functions about executions need. All of them throw
// `InvalidInput` when the environment is not what the deployment writes.

/** The context of the function that gets the events of executions. */
export function openJanitor() {
  const { stateMachineArn } = readFunctionEnv(process.env, ['stateMachineArn']);
  return {
    ...openRecordContext(),
    stateMachineArn,
    report: createAbandonedReport(stateMachineArn),
  };
}

/** The context of the function that asks for the state of executions itself. */
export function openSweep() {
  const janitor = openJanitor();
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  return {
    ...janitor,
    describeExecution: (executionName: string) =>
      describeExecution(client, janitor.stateMachineArn, executionName),
  };
}

export function openStart() {
  const { stateMachineArn, tableName, rules, releases } = readStartEnv(process.env);
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  return {
    rules,
    releases,
    clock: systemClock,
    ledger: openLedger(tableName),
    startExecution: createExecutionStarter(client, stateMachineArn),
  };
}
