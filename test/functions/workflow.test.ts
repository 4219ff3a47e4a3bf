import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  SFNClient,
  StartExecutionCommand,
  type StartExecutionCommandInput,
} from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions';
import { mockClient } from 'aws-sdk-client-mock';
import dynalite from 'dynalite';
import * as closeRollout from '../../functions/close-rollout.ts';
import * as list from '../../functions/list.ts';
import * as look from '../../functions/look.ts';
import * as openRollout from '../../functions/open-rollout.ts';
import * as roll from '../../functions/roll.ts';
import * as stop from '../../functions/stop.ts';
import * as turnAround from '../../functions/turn-around.ts';
import { createDynamoDbLedger } from '../../lib/adapters/aws/stack.ts';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { POLICIES_FILE } from '../../lib/contract/functions/code-files.ts';
import { encodeRecord } from '../../lib/contract/ledger/envelope.ts';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import { WAIT_STATES } from '../../lib/domain/rollout/wait.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import {
  placeholderOf,
  WORKFLOW_FUNCTIONS,
  type WorkflowFunction,
} from '../../lib/workflow/functions.ts';
import { createStack } from '../constructs/create-stack.ts';
import { rightsIn } from '../constructs/function-rights.ts';
import { INDEX_ACTIONS, TABLE_ACTIONS } from '../constructs/table-actions.ts';
import { createCodeFolder } from '../support/code-folder.ts';
import { createLedgerTable } from '../support/create-ledger-table.ts';
import { PAUSE, PAUSED, textFromTomorrow } from '../support/from-tomorrow.ts';
import { type IamRequest, isAllowed } from '../support/iam.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { MACHINE_ARN } from '../support/status-change.ts';
import { writeStepEnv } from '../support/step-env.ts';
import { iamRequestsOf, readTableCall } from '../support/table-requests.ts';

const HANDLERS = { openRollout, roll, look, turnAround, stop, closeRollout };
const TASKS = ['Open rollout', 'Roll batch', 'Look', 'Turn around', 'Stop batch', 'Close rollout'];
const NO_WAITS = Object.fromEntries(WAIT_STATES.map(({ state }) => [state, 0]));
const machine = new StateMachine(ROLLOUT_DEFINITION as unknown as StateMachineDefinition, {
  validationOptions: { checkArn: false },
});

/** The runtime has a policy of its own, among a thousand of others. */
const policy = { bakeSeconds: 0, pollSeconds: 1, waves: [{ percent: 50 }, { percent: 100 }] };
const ids = Array.from({ length: 1_000 }, (_, index) => `runtime-${index}`);
const others = ids.map((id) => [id, { waves: [{ percent: 100 }], protect: [`endpoint-of-${id}`] }]);
const named = { policy: 'quick' };
const code = createCodeFolder({
  [POLICIES_FILE]: JSON.stringify({
    policies: {
      ...Object.fromEntries(others),
      ...{ default: { bakeSeconds: 600, waves: [{ percent: 100 }] }, quick: policy },
    },
    runtimes: {
      ...Object.fromEntries(ids.map((id) => [id, { policy: id }])),
      ...{ shop: named, 'eu-1': named, 'eu-2': named },
    },
    groups: { eu: { runtimes: ['eu-*'], policy: { pollSeconds: 1, maxPollSeconds: 1 } } },
  }),
});

const tableName = 'ledger';
const bus = mockClient(EventBridgeClient);
const stepFunctions = mockClient(SFNClient);
const database = dynalite({ createTableMs: 0 });
let server: EndpointServer;
/** The function that is running: the workflow never runs two different ones at once. */
let running: WorkflowFunction | undefined;
let tableActions: Map<WorkflowFunction, Set<string>>;
const rights = rightsIn(createStack());
/** What IAM would have been asked about all calls of the table so far. */
const requests: { readonly by: WorkflowFunction; readonly asked: IamRequest }[] = [];

beforeAll(async () => {
  silenceLogs();
  database.on('request', recordAction);
  database.listen(0, '127.0.0.1');
  await once(database, 'listening');
  server = await startEndpointServer({
    scenario: parseScenario({
      runtimes: ['shop', 'eu-1', 'eu-2'].map((id) => ({
        ...{ id, version: 1, endpoints: 4, rollSeconds: 0.02 },
      })),
      faults: [
        { endpoint: 'endpoint-02', version: 3, kind: 'fail' },
        { runtime: 'eu-2', endpoint: 'endpoint-02', version: 4, kind: 'fail' },
        { runtime: 'eu-1', endpoint: 'endpoint-01', version: 9, kind: 'stuck' },
      ],
    }),
    port: 0,
    clock: systemClock,
  });
  const { port } = database.address() as AddressInfo;
  const config = parseConfig({ endpointUrl: server.url });
  Object.assign(process.env, {
    ...writeStepEnv(config, { tableName, eventBusName: 'steproll' }),
    ...code,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const client = new DynamoDBClient({});
  await createLedgerTable(client, tableName);
  client.destroy();
  bus.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });
  stepFunctions.on(StartExecutionCommand).callsFake(startExecution);
});

beforeEach(() => {
  tableActions = new Map();
  bus.resetHistory();
});

afterAll(async () => {
  await server.close();
  database.close();
  database.closeAllConnections();
});

test('the functions carry a rollout to its end', async () => {
  expect(await runRollout('first', to(2))).toMatchObject({ outcome: 'Succeeded' });
  expect(await liveVersions()).toEqual([2, 2, 2, 2]);
  expect(toldTypes()).toEqual([
    'Rollout Started',
    'Wave Started',
    'Wave Converged',
    'Wave Started',
    'Wave Converged',
    'Rollout Ended',
  ]);
});

test('the functions roll a rollout back or contain it, and use exactly what their roles grant', async () => {
  const back = { ...to(3), policy: { onFailure: 'roll-back' } };
  expect(await runRollout('back', back)).toMatchObject({ cleanup: 'rolledBack' });
  expect(await liveVersions()).toEqual([2, 2, 2, 2]);
  expect(await runRollout('second', to(3))).toMatchObject({
    outcome: 'Failed',
    cleanup: 'stopped',
    message: expect.stringContaining('endpoint-02'),
  });
  const startTime = new Date().toISOString();
  // A lost answer: the second run finds the plan that the first one froze.
  const policy = { allowDowngrade: true };
  const input = { ...to(2), policy };
  const position = await invoke('openRollout', {
    rolloutId: 'third',
    startTime,
    input,
  });
  expect(await invoke('openRollout', { rolloutId: 'third', startTime, input })).toMatchObject({
    rolloutId: 'third',
    epoch: (position as { epoch: number }).epoch,
    next: 'look-second-look',
  });
  await invoke('look', { position });

  // A close that finds an outcome reads it, and those that people were asked about what they answered, and an item of the journal that is full gets a next one.
  tableActions.get('closeRollout')?.add('GetItem').add('BatchGetItem');
  tableActions.get('stop')?.add('PutItem');
  // What holds a rollout, and what its gates say, are lines of its log.
  tableActions.get('look')?.add('PutItem');
  const used = [...tableActions].map(([name, actions]) => [name, [...actions].toSorted()]);
  const openRollout = [...TABLE_ACTIONS.openRollout, ...(INDEX_ACTIONS.openRollout ?? [])];
  expect(Object.fromEntries(used)).toEqual({
    ...TABLE_ACTIONS,
    openRollout: openRollout.toSorted(),
  });
});

test('the functions release a group, each runtime by an execution of its own, with the same rights', async () => {
  expect(await runRollout('release-1', to(2, 'group:eu'))).toMatchObject({
    outcome: 'Succeeded',
    message: expect.stringContaining('2 runtimes rolled to version 2'),
  });
  expect([await liveVersions('eu-1'), await liveVersions('eu-2')]).toEqual([ALL_ON_2, ALL_ON_2]);
  const starts = stepFunctions.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input);
  expect(starts.map((start) => start.stateMachineArn)).toEqual([MACHINE_ARN, MACHINE_ARN]);
  expect(starts.map(({ input = '' }) => JSON.parse(input))).toMatchObject([
    { runtimeId: 'eu-1', version: 2, parent: 'release-1' },
    { runtimeId: 'eu-2', version: 2, parent: 'release-1' },
  ]);
  expectNoMoreThanGranted();
});

test('the functions take a group back, the runtimes that had succeeded too', async () => {
  const back = { ...to(4, 'group:eu'), policy: { onFailure: 'roll-back' } };
  expect(await runRollout('release-2', back)).toMatchObject({
    outcome: 'Failed',
    // The policy of the runtime that was lost has stopped an endpoint.
    cleanup: 'kept',
  });
  expect(await liveVersions('eu-1')).toEqual(ALL_ON_2);
  expectNoMoreThanGranted();
});

test('A11: the functions carry a rollout on, whatever a newer steproll writes beside them', async () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const write = () => writeTomorrow(client, 'tomorrow');
  expect(await runRollout('tomorrow', to(5, 'eu-1'), write)).toMatchObject({
    outcome: 'Succeeded',
    message: expect.stringContaining('4 endpoints'),
  });
  client.destroy();
  expect(await liveVersions('eu-1')).toEqual([5, 5, 5, 5]);
});

test('a rollout that is held says so in its log, and goes on once the hold is lifted', async () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const ledger = createDynamoDbLedger(tableName, {}, client);
  const hold: Hold = {
    ...{ id: 'h1', kind: 'pause', scope: { runtimeId: 'eu-1' }, by: 'ada', reason: 'why' },
    ...{ at: Date.now(), until: Date.now() + 3_600_000 },
  };
  let calls = 0;
  const holdAndLift = async () => {
    running = undefined;
    calls += 1;
    if (calls === 3) await ledger.addHold(hold, Date.now());
    if (calls === 5) await ledger.liftHold(hold, { at: Date.now(), by: 'ada', reason: 'why' });
  };
  expect(await runRollout('held', to(6, 'eu-1'), holdAndLift)).toMatchObject({
    outcome: 'Succeeded',
  });
  client.destroy();
  expect(tableActions.get('look')).toContain('PutItem');
});

test('what somebody else rolls is not pushed out, with the rights that the opening has', async () => {
  const { endpoints } = (await list.handler({ runtimeId: 'eu-1' })) as {
    endpoints: { id: string; name: string }[];
  };
  const first = endpoints.find(({ name }) => name === 'endpoint-01')?.id;
  const url = `${server.url}/agent-runtimes/eu-1/endpoints/${first}?version=9`;
  expect((await fetch(url, { method: 'PUT' })).status).toBe(200);

  expect(await runRollout('beside', to(10, 'eu-1'))).toMatchObject({
    outcome: 'Refused',
    reason: 'InOtherHands',
  });
  expect(tableActions.get('openRollout')).toContain('Query of ofRuntime');
  expectNoMoreThanGranted();
});

/** All that is stored of a rollout gets fields that this version does not know, and a signal and an event that it does not. */
async function writeTomorrow(client: DynamoDBDocumentClient, rolloutId: string): Promise<void> {
  running = undefined;
  const pk = `rollout#${rolloutId}`;
  const asStored = (text: string) => gzipSync(textFromTomorrow(text));
  const { Items: items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  );
  for (const item of items) {
    const fields = Object.entries(item).map(([key, value]) => [
      key,
      value instanceof Uint8Array ? asStored(gunzipSync(value).toString()) : value,
    ]);
    const said = item.sk === 'rollout' && { signals: [asStored(encodeRecord(PAUSE))] };
    const Item = { ...Object.fromEntries(fields), ...said, tomorrow: 1 };
    await client.send(new PutCommand({ TableName: tableName, Item }));
  }
  if (items.length === 0) return;
  const Item = { pk, sk: 'event#paused', event: asStored(encodeRecord(PAUSED)) };
  await client.send(new PutCommand({ TableName: tableName, Item }));
}

function expectNoMoreThanGranted(): void {
  for (const [name, actions] of tableActions) {
    const granted = [...TABLE_ACTIONS[name], ...(INDEX_ACTIONS[name] ?? [])];
    expect([name, granted]).toEqual([name, expect.arrayContaining([...actions])]);
  }
}

test.each([
  ['an unknown key', { baseUrl: 'http://evil' }, 'baseUrl: unknown key'],
  ['another service', { endpointUrl: 'http://evil' }, 'is of the service at http://evil, and the'],
])('E06: an input with %s is refused, under the name that was thrown', async (_, said, message) => {
  const input = { ...to(2), ...said };
  expect(await runRollout(`evil-${Object.keys(said)}`, input)).toMatchObject({
    outcome: 'Refused',
    reason: 'InvalidInput',
    message: expect.stringContaining(message),
  });
});

describe('the roles, asked about each call of the table that the functions have made', () => {
  const callsOf = (name: WorkflowFunction) => requests.filter(({ by }) => by === name);

  test.each(WORKFLOW_FUNCTIONS)('allow %s all that it did', (name) => {
    const refused = callsOf(name).filter(({ asked }) => !isAllowed(rights.of(name), asked));
    expect(refused).toEqual([]);
    expect(callsOf(name).length).toBeGreaterThan(0);
  });

  test.each(WORKFLOW_FUNCTIONS)('refuse something that %s did once a right is taken', (name) => {
    const taken = TABLE_ACTIONS[name].filter((action) => {
      const left = rights.of(name).map((statement) => ({
        ...statement,
        Action: [statement.Action].flat().filter((one) => one !== `dynamodb:${action}`),
      }));
      return callsOf(name).every(({ asked }) => isAllowed(left, asked));
    });
    expect(taken).toEqual(NOT_DONE_HERE[name] ?? []);
  });

  test.each(['list', 'create'])('allow %s none of it', (name) => {
    expect(requests.filter(({ asked }) => isAllowed(rights.of(name), asked))).toEqual([]);
  });

  test('allow start to change rollouts, and nothing of leases, latest requests and holds, and no list', () => {
    const allowed = requests.filter(({ asked }) => isAllowed(rights.of('start'), asked));
    const keys = allowed.flatMap(({ asked }) => asked.context['dynamodb:leadingkeys'] ?? []);
    expect(new Set(allowed.map(({ asked }) => asked.action))).toEqual(
      new Set(['dynamodb:UpdateItem']),
    );
    expect(keys.filter((key) => !key.startsWith('rollout#'))).toEqual([]);
    expect(keys.length).toBeGreaterThan(0);
  });
});

/** What a function has the right to do for cases that do not come up here. */
const NOT_DONE_HERE: Partial<Record<WorkflowFunction, readonly string[]>> = {
  // An item of the journal that is full gets a next one.
  stop: ['PutItem'],
  // Nobody was asked about a wave.
  closeRollout: ['BatchGetItem'],
};

const ALL_ON_2 = [2, 2, 2, 2];

function to(version: number, runtimeId = 'shop') {
  return { schemaVersion: 1, runtimeId, version };
}

/**
 * Runs the definition over the functions and answers what the last one answered.
 *
 * @param between What happens before each function. @default - nothing
 */
async function runRollout(
  rolloutId: string,
  input: object,
  between: () => Promise<void> = async () => {},
): Promise<unknown> {
  let answer: unknown;
  const invokeTask = async (task: unknown) => {
    const { FunctionName, Payload } = task as { FunctionName: string; Payload: object };
    await between();
    answer = await invoke(functionOf(FunctionName), Payload);
    return { Payload: answer } as never;
  };
  const { result } = machine.run(input as never, {
    context: { Execution: { Name: rolloutId }, StateMachine: { Id: MACHINE_ARN } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(TASKS.map((state) => [state, invokeTask])),
      waitTimeOverrides: { ...NO_WAITS, 'Wait for the roll': 5 },
    },
  });
  // A failed rollout is a failed execution.
  await result.catch(() => undefined);
  return answer;
}

function functionOf(placeholder: string): WorkflowFunction {
  const name = WORKFLOW_FUNCTIONS.find((candidate) => placeholderOf(candidate) === placeholder);
  if (name === undefined) throw new Error(`no function ${placeholder}`);
  return name;
}

async function invoke(name: WorkflowFunction, event: object): Promise<unknown> {
  running = name;
  const answer = await HANDLERS[name].handler(JSON.parse(JSON.stringify(event)));
  return JSON.parse(JSON.stringify(answer));
}

/** An index has a right of its own. */
function recordAction(request: IncomingMessage): void {
  if (running === undefined) return;
  const by = running;
  readTableCall(request, (call) => {
    const { action, body } = call;
    const used = body.IndexName === undefined ? action : `${action} of ${body.IndexName}`;
    tableActions.set(by, (tableActions.get(by) ?? new Set()).add(used));
    requests.push(...iamRequestsOf(call, rights.tableArn).map((asked) => ({ by, asked })));
  });
}

function toldTypes(): (string | undefined)[] {
  return bus
    .commandCalls(PutEventsCommand)
    .flatMap(({ args }) => args[0].input.Entries?.map(({ DetailType }) => DetailType) ?? []);
}

let lastExecution: Promise<unknown> = Promise.resolve();

/**
 * Runs one execution after the other, each to its end before its start is answered, so that two functions never run at
 * once.
 */
async function startExecution({ name, input }: StartExecutionCommandInput): Promise<object> {
  const caller = running;
  lastExecution = lastExecution.then(() => runRollout(name ?? '', JSON.parse(input ?? '')));
  await lastExecution;
  running = caller;
  return {};
}

async function liveVersions(runtimeId = 'shop'): Promise<unknown> {
  const { endpoints } = (await list.handler({ runtimeId })) as {
    endpoints: { liveVersion: number }[];
  };
  return endpoints.map(({ liveVersion }) => liveVersion);
}
