import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { RELEASE_EVENT, type Release } from '../../domain/trigger/release.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createTableLedger } from '../ledger/dynamodb/ledger.ts';
import { connectTable, openTable } from '../ledger/dynamodb/storage.ts';
import { asAwsError } from './aws-errors.ts';
import {
  createExecutionStarter,
  type ExecutionState,
  executionArnOf,
  readExecution,
} from './executions.ts';
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
  /** The ARN of whoever calls. */
  readCaller(): Promise<string>;
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
  const { account, region, endpointUrl, stateMachineArn, tableName, eventBusName } = parts;
  const { historyDays } = parts;
  const stepFunctions = new SFNClient(settings);
  const eventBridge = new EventBridgeClient(settings);
  const startExecution = createExecutionStarter(stepFunctions, stateMachineArn);
  const arnOf = (rolloutId: string) => executionArnOf(stateMachineArn, rolloutId);
  return {
    account,
    region,
    endpointUrl,
    tableName,
    ledger: createDynamoDbLedger(tableName, { days: historyDays }),
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
      // Only holds have an owner.
      const { readCaller } = await import('./caller.ts');
      return readCaller();
    },
    publishRelease: (release) => publishRelease(eventBridge, eventBusName, release),
  };
}

/** Where the deployed parts of steproll are. */
interface StackParts {
  readonly account: string;
  readonly region: string;
  readonly stateMachineArn: string;
  readonly tableName: string;
  /** For how many days rollouts that have ended stay. `undefined`: for ever. */
  readonly historyDays: number | undefined;
  readonly eventBusName: string;
  /** Base URL of the service that the stack rolls. */
  readonly endpointUrl: string;
}

/**
 * Finds the deployed parts in the outputs of a CloudFormation stack.
 *
 * @throws `StackNotFound` when there is no such stack, or steproll did not make it; `AwsUnavailable`.
 */
export async function findStack(client: CloudFormationClient, name: string): Promise<StackParts> {
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch(async (error: unknown) => {
      if (isNotThere(error)) throw notFound(name, await client.config.region());
      throw asAwsError(error, `read the stack ${name}`);
    });
  // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
  const [, , , region = 'unknown', account = 'unknown'] = stack?.StackId?.split(':') ?? [];
  const outputs = new Map(
    stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const read = (key: string): string => {
    const value = outputs.get(key);
    if (value !== undefined) return value;
    throw new SteprollError(
      ErrorName.StackNotFound,
      `The stack ${name} (${stack?.StackStatus}) has no output ${key}: it is no stack of steproll. Name the right one with --stack.`,
    );
  };
  return {
    account,
    region,
    stateMachineArn: read('StateMachineArn'),
    tableName: read('TableName'),
    historyDays: outputs.has('HistoryDays') ? Number(outputs.get('HistoryDays')) : undefined,
    eventBusName: read('EventBusName'),
    endpointUrl: read('EndpointUrl'),
  };
}

/** CloudFormation has no error name for a stack that does not exist. */
function isNotThere(error: unknown): boolean {
  return errorNameOf(error) === 'ValidationError' && / does not exist$/.test(errorMessageOf(error));
}

function notFound(name: string, region: string): SteprollError {
  return new SteprollError(
    ErrorName.StackNotFound,
    `There is no stack ${name} in ${region}, in the account of these credentials. Name it with --stack or STEPROLL_STACK; AWS_PROFILE and AWS_REGION say where it is looked for.`,
  );
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
