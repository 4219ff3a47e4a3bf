import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readStepEnv } from '../../contract/function-env.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createDynamoDbLedger } from '../ledger/dynamodb-ledger.ts';
import { systemClock } from '../system-clock.ts';
import { serviceOf } from './open-service.ts';

export interface FunctionStepContext {
  readonly service: EndpointService;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly policy: RolloutPolicy;
}

/** A connection that died is noticed here: the SDK's own default is to wait for ever. */
const LEDGER_TIMEOUTS = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};

/**
 * What a step works with, from the function's environment.
 *
 * @throws `InvalidInput` when the environment is not what the deployment writes.
 */
export function openStepContext(): FunctionStepContext {
  const settings = readStepEnv(process.env);
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ requestHandler: LEDGER_TIMEOUTS }),
  );
  return {
    service: serviceOf(settings),
    ledger: createDynamoDbLedger({ tableName: settings.tableName, client }),
    clock: systemClock,
    policy: settings.policy,
  };
}
