import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import dynalite from 'dynalite';
import * as janitor from '../../functions/janitor.ts';
import * as sweep from '../../functions/sweep.ts';
import { createDynamoDbLedger } from '../../lib/adapters/aws/stack.ts';
import { writeFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { OPEN_INDEX } from '../../lib/contract/ledger/table.ts';
import type { Lease } from '../../lib/domain/rollout/lease.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { executionNameOf } from '../../lib/steps/io/names.ts';
import { ASKS } from '../adapters/ledger/ledger-answers-contract.ts';
import { createStack } from '../constructs/create-stack.ts';
import { rightsIn } from '../constructs/function-rights.ts';
import { line, planOf, progressOf, recordOf, seen } from '../domain/examples.ts';
import { beginWith } from '../support/begin-with.ts';
import { createLedgerTable } from '../support/create-ledger-table.ts';
import { isAllowed } from '../support/iam.ts';
import { JANITOR_ACTIONS } from '../support/janitor-actions.ts';
import { notBegun } from '../support/not-begun.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { EXECUTIONS_ARN, MACHINE_ARN, statusChange } from '../support/status-change.ts';
import { iamRequestsOf, readTableCall, type TableCall } from '../support/table-requests.ts';

const database = dynalite({ createTableMs: 0 });
const stepFunctions = mockClient(SFNClient);
const events = mockClient(EventBridgeClient);
let client: DynamoDBClient;
let ledger: Ledger;
/** What was done to the table, and to which index of it: `Query`, `Query held`. */
const used = new Set<string>();
const asked: TableCall[] = [];
const rights = rightsIn(createStack());

beforeAll(async () => {
  silenceLogs();
  database.on('request', recordAction);
  database.listen(0, '127.0.0.1');
  await once(database, 'listening');
  const { port } = database.address() as AddressInfo;
  Object.assign(process.env, {
    ...writeFunctionEnv({
      tableName: 'ledger',
      ...{ eventBusName: 'steproll', stackName: 'Steproll' },
      stateMachineArn: MACHINE_ARN,
    }),
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  client = new DynamoDBClient({});
  await createLedgerTable(client, 'ledger');
  ledger = createDynamoDbLedger('ledger', {}, DynamoDBDocumentClient.from(client));
});

beforeEach(() => {
  stepFunctions.reset();
  answer({});
  events.reset();
  events.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });
});

afterAll(() => {
  client.destroy();
  database.close();
  database.closeAllConnections();
});

test('A08: a rollout that was stopped in mid-wave is closed by the event, and its runtime is free', async () => {
  const { rolloutId, runtimeId } = await underWay();

  await janitor.handler(statusChange({ name: rolloutId }));

  const { outcome } = await ledger.read(rolloutId);
  expect(outcome).toEqual({
    outcome: 'Aborted',
    reason: 'ExecutionAborted',
    cleanup: 'incomplete',
    message:
      'The execution was stopped from outside. It was in wave 1 of 1. 1 endpoint was rolled and not seen live on version 3. Not stopped, because nobody has looked any more: 1. When last seen, 1 of 2 endpoints was on version 3, 1 in mid-roll (web-2).',
  });
  expect((await openFor(runtimeId)).epoch).toBe(2);
});

test('A05: a rollout that States.Runtime ended is closed by the event', async () => {
  const { rolloutId } = await underWay();

  await janitor.handler(
    statusChange({ name: rolloutId, status: 'FAILED', error: 'States.Runtime' }),
  );

  const { outcome } = await ledger.read(rolloutId);
  expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'ExecutionFailed' });
});

test('A08: a rollout that was stopped while it waits for a check, in its second execution, is closed, and its runtime is free', async () => {
  const request = requestOf(randomUUID());
  const { rolloutId, runtimeId } = request;
  const lookAt = Date.now() + 60_000;
  await ledger.enlist(request, notBegun(Date.now(), { for: 'check', lookAt }), Date.now());
  const second = executionNameOf(rolloutId, 2);
  // The first one is over because it has handed over, which closes nothing.
  answer({ [second]: 'RUNNING' });
  await janitor.handler(statusChange({ name: rolloutId }));
  expect((await ledger.read(rolloutId)).outcome).toBeNull();

  answer({ [second]: 'ABORTED' });
  const position = { rolloutId, execution: { number: 1 } };
  await janitor.handler(statusChange({ name: second, input: JSON.stringify({ position }) }));

  const { outcome } = await ledger.read(rolloutId);
  expect(outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
  await expect(openFor(runtimeId)).resolves.toMatchObject({ runtimeId });
});

test('A09: where the event is lost, the sweep closes the rollout', async () => {
  const { rolloutId, runtimeId } = await underWay();
  const running = await underWay();
  answer({ [rolloutId]: 'ABORTED', [running.rolloutId]: 'RUNNING' });

  expect(await sweep.handler({ source: 'aws.events' })).toMatchObject({ closed: 1 });

  expect((await ledger.read(rolloutId)).outcome).toMatchObject({ outcome: 'Aborted' });
  expect((await ledger.read(running.rolloutId)).outcome).toBeNull();
  expect((await openFor(runtimeId)).epoch).toBe(2);
});

test('a lease that ran out and whose execution does not exist is closed by the sweep', async () => {
  const dead = await underWay(Date.now() - 3_600_000);
  const justStarted = await underWay();
  answer({});

  expect(await sweep.handler({})).toMatchObject({ closed: 1 });

  const { outcome } = await ledger.read(dead.rolloutId);
  expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'ExecutionNotFound' });
  expect((await ledger.read(justStarted.rolloutId)).outcome).toBeNull();
});

test('A10: janitor twice and sweep at once: one outcome, and the lease stays free', async () => {
  const { rolloutId, runtimeId } = await underWay();
  answer({ [rolloutId]: 'ABORTED' });
  const event = statusChange({ name: rolloutId });

  await Promise.all([janitor.handler(event), janitor.handler(event), sweep.handler({})]);
  const { outcome, endedAt } = await ledger.read(rolloutId);
  await janitor.handler({ ...event, detail: { ...event.detail, status: 'TIMED_OUT' } });

  expect(await ledger.read(rolloutId)).toMatchObject({ outcome, endedAt });
  const next = await openFor(runtimeId);
  await janitor.handler(event);
  await ledger.append(next, [line('roll', 'web-1', 'intended')]);
});

test('A10: a late lock write after the janitor is refused', async () => {
  const request = requestOf(randomUUID());
  await janitor.handler(statusChange({ name: request.rolloutId }));

  const late = ledger.open(request, Date.now(), Date.now() + 300_000);
  await expect(late).rejects.toMatchObject({ name: 'LeaseLost' });
  expect((await openFor(request.runtimeId)).epoch).toBe(1);
});

test('the functions use exactly what their roles grant', async () => {
  const { rolloutId } = await askingPeople();
  const swept = await askingPeople();
  answer({ [swept.rolloutId]: 'ABORTED' });
  const refusedTo = (name: string) => {
    const requests = asked.flatMap((call) => iamRequestsOf(call, rights.tableArn));
    return requests.filter((request) => !isAllowed(rights.of(name), request));
  };
  const forget = () => {
    used.clear();
    asked.length = 0;
  };
  forget();
  await janitor.handler(statusChange({ name: rolloutId }));
  await janitor.handler(statusChange({ name: randomUUID() }));
  const byJanitor = [...used].toSorted();
  expect(refusedTo('janitor')).toEqual([]);
  forget();
  await sweep.handler({});
  expect(refusedTo('sweep')).toEqual([]);
  expect(refusedTo('start').length).toBeGreaterThan(0);

  const { table, index } = JANITOR_ACTIONS;
  const granted = [...table, ...index.map((action) => `${action} ${OPEN_INDEX.name}`)].toSorted();
  expect(byJanitor).toEqual(granted);
  expect([...used].toSorted()).toEqual(granted);
});

test('the execution is asked for under the ARN of our own machine', async () => {
  const { rolloutId } = await underWay();
  answer({ [rolloutId]: 'RUNNING' });

  await sweep.handler({});

  const asked = stepFunctions
    .commandCalls(DescribeExecutionCommand)
    .map(({ args }) => args[0].input.executionArn);
  expect(asked).toContain(`${EXECUTIONS_ARN}:${rolloutId}`);
});

test('E07: the event of another state machine is refused by name', async () => {
  const event = statusChange({ stateMachineArn: `${MACHINE_ARN}-2` });
  await expect(janitor.handler(event)).rejects.toMatchObject({ name: 'InvalidInput' });
});

/** A rollout of a runtime of its own, with one endpoint live and one in mid-roll. */
async function underWay(now = Date.now()): Promise<Lease> {
  const { ids, ...plan } = planOf([2]);
  const until = now + 300_000;
  const lease = await ledger.open(requestOf(randomUUID()), now, until, beginWith(plan));
  await ledger.append(
    lease,
    ids.map((id) => line('roll', id, 'accepted')),
  );
  await ledger.saveProgress(lease, progressOf(0, [seen('converged', 2), seen('progressing')]));
  return lease;
}

/** The same, while it waits for people, of whom one may have answered. */
async function askingPeople(): Promise<Lease> {
  const lease = await underWay();
  await ledger.saveProgress(lease, progressOf(0, [seen('converged', 2)]), ASKS);
  const Key = { pk: `answers#${lease.rolloutId}`, sk: 'ann' };
  await DynamoDBDocumentClient.from(client).send(new UpdateCommand({ TableName: 'ledger', Key }));
  return lease;
}

function openFor(runtimeId: string): Promise<Lease> {
  return ledger.open(requestOf(runtimeId), Date.now(), Date.now() + 300_000);
}

function requestOf(runtimeId: string) {
  return { ...recordOf().request, rolloutId: randomUUID(), runtimeId };
}

/** Step Functions knows these executions alone, by the name of their rollouts. */
function answer(statuses: Readonly<Record<string, 'RUNNING' | 'ABORTED'>>): void {
  stepFunctions
    .on(DescribeExecutionCommand)
    .rejects(new ExecutionDoesNotExist({ message: 'Execution does not exist', $metadata: {} }));
  for (const [rolloutId, status] of Object.entries(statuses)) {
    stepFunctions
      .on(DescribeExecutionCommand, { executionArn: `${EXECUTIONS_ARN}:${rolloutId}` })
      .resolves({ status });
  }
}

function recordAction(request: IncomingMessage): void {
  readTableCall(request, (call) => {
    const { IndexName } = call.body;
    used.add(IndexName === undefined ? call.action : `${call.action} ${IndexName}`);
    asked.push(call);
  });
}
