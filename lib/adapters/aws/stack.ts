import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { RELEASE_EVENT, type Release } from '../../domain/trigger/release.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createTableLedger } from '../ledger/dynamodb/ledger.ts';
import { connectTable, openTable } from '../ledger/dynamodb/storage.ts';
import { asAwsError } from './aws-errors.ts';
import type { AwsCaller } from './caller.ts';
import {
  createExecutionStarter,
  type ExecutionState,
  executionArnOf,
  readExecution,
} from './executions.ts';
import { findStack } from './find-stack.ts';
import { AWS_TIMEOUTS } from './timeouts.ts';

/** A deployed stack that is ready to use. Its methods throw `AwsUnavailable`. */
export interface OpenStack {
  readonly account: string;
  readonly region: string;
  /** Base URL of the service that the stack rolls. */
  readonly endpointUrl: string;
  readonly tableName: string;
  readonly ledger: Ledger;
  /** By how many milliseconds the clock of AWS is ahead of this machine's, as its answers have shown: 0 below 5 minutes. */
  clockAheadMs(): number;
  start(rolloutId: string, input: object): Promise<void>;
  readExecution(rolloutId: string): Promise<ExecutionState>;
  stopExecution(rolloutId: string, cause: string): Promise<void>;
  /** Whoever calls. */
  readCaller(): Promise<AwsCaller>;
  /** Announces a release and answers the id of the event. */
  publishRelease(release: Release): Promise<string>;
}

/**
 * Finds a stack in the account and the region of the SDK's own settings: AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL
 * and the others.
 *
 * @throws `StackNotFound`, `AwsUnavailable`.
 */
export async function openStack(name: string): Promise<OpenStack> {
  const settings = { requestHandler: AWS_TIMEOUTS };
  const cloudFormation = new CloudFormationClient(settings);
  const parts = await findStack(cloudFormation, name);
  const { account, region, EndpointUrl: endpointUrl, TableName: tableName } = parts;
  const { StateMachineArn: stateMachineArn, EventBusName: eventBusName } = parts;
  const stepFunctions = new SFNClient(settings);
  const eventBridge = new EventBridgeClient(settings);
  const startExecution = createExecutionStarter(stepFunctions, stateMachineArn);
  const arnOf = (rolloutId: string) => executionArnOf(stateMachineArn, rolloutId);
  return {
    account,
    region,
    endpointUrl,
    tableName,
    ledger: createDynamoDbLedger(tableName, { days: parts.HistoryDays }),
    clockAheadMs: () => cloudFormation.config.systemClockOffset,
    async start(rolloutId, input) {
      // The id is new. If its name is taken, this very start took it and its first answer was lost.
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
    async readCaller() {
      // Most commands only read.
      const { readCaller } = await import('./caller.ts');
      return readCaller();
    },
    publishRelease: (release) => publishRelease(eventBridge, eventBusName, release),
  };
}

/** Announces a release, and answers the id of the event. @throws `EventsUnavailable`, `AwsUnavailable`. */
export async function publishRelease(
  client: EventBridgeClient,
  eventBusName: string,
  release: Release,
): Promise<string> {
  const entry = {
    EventBusName: eventBusName,
    Source: RELEASE_EVENT.source,
    DetailType: RELEASE_EVENT.detailType,
    Detail: JSON.stringify(release),
  };
  const { Entries: [answer] = [] } = await client
    .send(new PutEventsCommand({ Entries: [entry] }))
    .catch((error: unknown) => {
      throw asAwsError(error, `announce a release on the bus ${eventBusName}`);
    });
  // The call succeeds even if the entry was refused. The entry then has an error instead of an id.
  if (answer?.EventId === undefined) {
    throw new SteprollError(
      ErrorName.EventsUnavailable,
      `The event bus ${eventBusName} did not take the release: ${answer?.ErrorCode}: ${answer?.ErrorMessage}`,
    );
  }
  return answer.EventId;
}

/**
 * The ledger in a table with the keys `pk` (partition) and `sk` (sort), both strings, and the indexes `LEDGER_INDEXES`.
 *
 * @param history For how many days rollouts that have ended stay. @default - for ever, by the clock of this machine
 * @param client @default - one for this account and region
 */
export function createDynamoDbLedger(
  tableName: string,
  history: Parameters<typeof createTableLedger>[2] = {},
  client?: DynamoDBDocumentClient,
): Ledger {
  const table = client ? openTable(tableName, client) : connectTable(tableName, AWS_TIMEOUTS);
  return createTableLedger(tableName, async () => table, history);
}
