import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbLedger } from '../../lib/adapters/aws/stack.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { createLedgerTable } from './create-ledger-table.ts';
import { MACHINE_ARN } from './status-change.ts';
import { type AskedOfTable, transactingDynalite } from './transacting-dynalite.ts';

const TABLE = 'ledger';

/** For how many days the stack Steproll keeps rollouts that have ended. */
export const FAKE_HISTORY_DAYS = 90;

const STACK_XML = `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
<DescribeStacksResult><Stacks><member><StackName>Steproll</StackName>
<StackId>arn:aws:cloudformation:eu-central-1:123456789012:stack/Steproll/1</StackId><StackStatus>CREATE_COMPLETE</StackStatus>
<CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>
<member><OutputKey>RolloutsEndpointUrl</OutputKey><OutputValue>https://endpoints.example.com/runtime</OutputValue></member>
<member><OutputKey>RolloutsStateMachineArn</OutputKey><OutputValue>${MACHINE_ARN}</OutputValue></member>
<member><OutputKey>RolloutsTableName</OutputKey><OutputValue>${TABLE}</OutputValue></member>
<member><OutputKey>RolloutsHistoryDays</OutputKey><OutputValue>${FAKE_HISTORY_DAYS}</OutputValue></member>
<member><OutputKey>RolloutsEventBusName</OutputKey><OutputValue>steproll</OutputValue></member>
</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;

/** A second stack, for the harnesses of AgentCore. Its table and its workflow are those of the first. */
const HARNESS_XML = STACK_XML.replace(
  'https://endpoints.example.com/runtime',
  'https://bedrock-agentcore-control.eu-central-1.amazonaws.com/harnesses',
);

const NO_STACK_XML = `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error>
<Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id Nobody does not exist</Message>
</Error></ErrorResponse>`;

/** To whoever has a key of this id, STS does not say who that is. */
export const NAMELESS = 'nameless';

const callerXml = (
  name: string,
) => `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<GetCallerIdentityResult><Arn>arn:aws:sts::123456789012:assumed-role/Ops/${name}</Arn>
<UserId>AROA:${name}</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;

/** What a program sent to Step Functions and EventBridge. */
export interface AwsCall {
  readonly target: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface FakeAws {
  readonly ledger: Ledger;
  readonly calls: readonly AwsCall[];
  /** What was asked of the table. */
  readonly asked: readonly AskedOfTable[];
  /** What leads a program here. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * As much of AWS as the command line speaks to, on the loopback address: the stack Steproll with a real
 * table. Executions are only written down.
 *
 * @param executions What Step Functions says of executions by their names; others it does not know.
 */
export async function startFakeAws(
  executions: Readonly<Record<string, object>> = {},
): Promise<FakeAws> {
  const calls: AwsCall[] = [];
  const asked: AskedOfTable[] = [];
  const database = transactingDynalite((one) => asked.push(one));
  const server = createServer((request, response) => {
    const target = String(request.headers['x-amz-target'] ?? '');
    if (target.startsWith('DynamoDB')) database.emit('request', request, response);
    else void answer(request, response, target, calls, executions);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials });
  await createLedgerTable(client, TABLE);
  return {
    ledger: createDynamoDbLedger(TABLE, {}, DynamoDBDocumentClient.from(client)),
    calls,
    asked,
    variables: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      STEPROLL_ENGINE: 'aws',
    },
    async close() {
      client.destroy();
      server.closeAllConnections();
      server.close();
      database.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  calls: AwsCall[],
  executions: Readonly<Record<string, object>>,
): Promise<void> {
  const body = await text(request);
  if (target === '' && body.includes('Action=GetCallerIdentity')) {
    // The id of the key is the name of the session.
    const name = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    response.writeHead(name === NAMELESS ? 403 : 200, { 'content-type': 'text/xml' });
    response.end(callerXml(name));
    return;
  }
  if (target === '') {
    const stacks: Readonly<Record<string, string>> = {
      Steproll: STACK_XML,
      Harnesses: HARNESS_XML,
    };
    const xml = stacks[new URLSearchParams(body).get('StackName') ?? ''];
    response.writeHead(xml !== undefined ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(xml ?? NO_STACK_XML);
    return;
  }
  const input = JSON.parse(body);
  calls.push({ target: target.slice(target.indexOf('.') + 1), input });
  const [status, result] = resultOf(target, input, executions);
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(result));
}

function resultOf(
  target: string,
  input: Readonly<Record<string, unknown>>,
  executions: Readonly<Record<string, object>>,
): [status: number, result: object] {
  if (target.endsWith('.PutEvents')) {
    return [200, { FailedEntryCount: 0, Entries: [{ EventId: 'event-1' }] }];
  }
  if (target.endsWith('.StartExecution') && String(input.input).includes('"runtimeId":"lost"')) {
    return [400, { __type: 'ServiceUnavailableException' }];
  }
  if (!target.endsWith('.DescribeExecution')) return [200, { startDate: 0 }];
  const known = executions[String(input.executionArn).split(':').at(-1) ?? ''];
  return known === undefined ? [400, { __type: 'ExecutionDoesNotExist' }] : [200, known];
}
