import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Release } from '../../domain/trigger/release.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { AWS_TIMEOUTS } from '../function/aws-timeouts.ts';
import { createDynamoDbLedger } from '../ledger/dynamodb-ledger.ts';
import { asAwsError } from './aws-error.ts';
import { executionArnOf } from './execution-arn.ts';
import { findStack } from './find-stack.ts';
import { publishRelease } from './publish-release.ts';
import { type ExecutionState, readExecution } from './read-execution.ts';
import { createExecutionStarter } from './start-execution.ts';

/** What a stack has deployed, ready to be spoken to. Its methods throw `AwsUnavailable`. */
export interface OpenStack {
  readonly account: string;
  readonly region: string;
  /** Base URL of the service that it drives; `undefined`: it does not say. */
  readonly endpointUrl: string | undefined;
  /** Of the ledger. */
  readonly tableName: string;
  readonly ledger: Ledger;
  /** Starts the execution of this name. */
  start(rolloutId: string, input: object): Promise<void>;
  readExecution(rolloutId: string): Promise<ExecutionState>;
  stopExecution(rolloutId: string, cause: string): Promise<void>;
  /** Answers the id of the event. */
  publishRelease(release: Release): Promise<string>;
}

/**
 * Finds a stack in the account and the region that the SDK's own settings name: AWS_PROFILE, AWS_REGION,
 * AWS_ENDPOINT_URL and all the others.
 *
 * @throws `StackNotFound`, `AwsUnavailable`.
 */
export async function openStack(name: string): Promise<OpenStack> {
  const settings = { requestHandler: AWS_TIMEOUTS };
  const parts = await findStack(new CloudFormationClient(settings), name);
  const { account, region, endpointUrl, stateMachineArn, tableName, eventBusName } = parts;
  const stepFunctions = new SFNClient(settings);
  const eventBridge = new EventBridgeClient(settings);
  const dynamoDb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  const startExecution = createExecutionStarter(stepFunctions, stateMachineArn);
  const arnOf = (rolloutId: string) => executionArnOf(stateMachineArn, rolloutId);
  return {
    account,
    region,
    endpointUrl,
    tableName,
    ledger: createDynamoDbLedger({ tableName, client: dynamoDb }),
    async start(rolloutId, input) {
      // The id is new, so a name that is taken is this very start, whose first answer was lost.
      await startExecution(rolloutId, input).catch((error: unknown) => {
        throw asAwsError(error, `start the rollout ${rolloutId}`);
      });
    },
    readExecution: (rolloutId) => readExecution(stepFunctions, arnOf(rolloutId)),
    async stopExecution(rolloutId, cause) {
      const command = new StopExecutionCommand({ executionArn: arnOf(rolloutId), cause });
      await stepFunctions.send(command).catch((error: unknown) => {
        throw asAwsError(error, `stop the execution ${arnOf(rolloutId)}`);
      });
    },
    publishRelease: (release) => publishRelease(eventBridge, eventBusName, release),
  };
}
