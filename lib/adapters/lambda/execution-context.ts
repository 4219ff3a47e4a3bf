import { SFNClient } from '@aws-sdk/client-sfn';
import { readTriggers, TRIGGERS_FILE } from '../../contract/functions/code-files.ts';
import { readFunctionEnv } from '../../contract/functions/environment.ts';
import { createExecutionStarter, describeExecution } from '../aws/executions.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { systemClock } from '../machine/clock.ts';
import { readCodeFile } from './code-file.ts';
import { openLedger, openRecordContext } from './record-context.ts';
import { createAbandonedReport } from './telemetry.ts';

// These functions read from the environment what the functions about executions need. All of them throw
// `InvalidInput` when the environment is not what the deployment writes.

export function openJanitor() {
  const { stateMachineArn } = readFunctionEnv(process.env, ['stateMachineArn']);
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  return {
    ...openRecordContext(),
    stateMachineArn,
    report: createAbandonedReport(stateMachineArn),
    describeExecution: (executionName: string) =>
      describeExecution(client, stateMachineArn, executionName),
  };
}

export function openStart() {
  const { stateMachineArn, tableName } = readFunctionEnv(process.env, [
    'stateMachineArn',
    'tableName',
  ]);
  const { rules, releases } = readTriggers(readCodeFile(TRIGGERS_FILE));
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS });
  return {
    rules,
    releases,
    clock: systemClock,
    ledger: openLedger(tableName),
    startExecution: createExecutionStarter(client, stateMachineArn),
  };
}
