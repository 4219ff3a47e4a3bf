import { SFNClient } from '@aws-sdk/client-sfn';
import { readStartEnv, type StartSettings } from '../../contract/start-env.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createExecutionStarter } from '../aws/start-execution.ts';
import { systemClock } from '../system-clock.ts';
import { AWS_TIMEOUTS } from './aws-timeouts.ts';
import { openLedger } from './open-ledger.ts';

export interface StartContext extends Pick<StartSettings, 'rules' | 'releases'> {
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
