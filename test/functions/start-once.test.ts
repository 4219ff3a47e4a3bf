import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import dynalite from 'dynalite';
import { handler } from '../../functions/start.ts';
import { createDynamoDbLedger } from '../../lib/adapters/aws/stack.ts';
import type { ReleaseMapping } from '../../lib/contract/config/releases.ts';
import { TRIGGERS_FILE, writeTriggers } from '../../lib/contract/functions/code-files.ts';
import { writeFunctionEnv } from '../../lib/contract/functions/environment.ts';
import type { OutcomeKind } from '../../lib/domain/rollout/outcome.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { config, createStack } from '../constructs/create-stack.ts';
import { rightsIn } from '../constructs/function-rights.ts';
import { imagePush, ownRelease, SENT_AT } from '../contract/trigger-examples.ts';
import { captureOutput, jsonLines } from '../support/capture-output.ts';
import { createCodeFolder } from '../support/code-folder.ts';
import { createLedgerTable } from '../support/create-ledger-table.ts';
import { type IamRequest, isAllowed } from '../support/iam.ts';
import { START_ONCE_ACTIONS } from '../support/start-actions.ts';
import { MACHINE_ARN } from '../support/status-change.ts';
import { iamRequestsOf, readTableCall } from '../support/table-requests.ts';

const rules = { runtimes: ['shop', 'cart'], groups: [], maxAgeSeconds: 900 };
const source: ReleaseMapping = {
  name: 'ecr',
  runtimeId: { path: 'detail.repository-name' },
  version: { path: 'detail.image-tag' },
  releaseId: { path: 'detail.image-digest' },
};
const code = createCodeFolder({
  [TRIGGERS_FILE]: writeTriggers({ rules: { ...rules, once: 'releaseId' }, releases: [source] }),
});

const database = dynalite({ createTableMs: 0 });
const stepFunctions = mockClient(SFNClient);
/** The inputs of the executions by their names, of which each can be used once. */
const executions = new Map<string, string>();
const used = new Set<string>();
const rights = rightsIn(
  createStack({ base: { ...config, triggers: { ...config.triggers, once: 'releaseId' } } }),
);
/** What IAM would have been asked about the calls of the function. */
const requests: IamRequest[] = [];
let isStarting = false;
/** How many of the next writes to the table arrive, before the function dies. */
let writesLeft = Number.POSITIVE_INFINITY;
let client: DynamoDBClient;
let ledger: Ledger;

beforeAll(async () => {
  database.prependListener('request', (request: IncomingMessage) => {
    if (!isStarting) return;
    readTableCall(request, (call) => {
      used.add(call.action);
      requests.push(...iamRequestsOf(call, rights.tableArn));
    });
  });
  database.listen(0, '127.0.0.1');
  await once(database, 'listening');
  const { port } = database.address() as AddressInfo;
  Object.assign(process.env, {
    ...writeFunctionEnv({ stateMachineArn: MACHINE_ARN, tableName: 'ledger' }),
    ...code,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  client = new DynamoDBClient({});
  await createLedgerTable(client, 'ledger');
  ledger = createDynamoDbLedger('ledger', {}, DynamoDBDocumentClient.from(client));
  const { send } = DynamoDBDocumentClient.prototype;
  type Send = (...args: unknown[]) => Promise<never>;
  const dying: Send = function (this: unknown, ...args) {
    const isWrite = args[0] instanceof UpdateCommand;
    if (isWrite) writesLeft -= 1;
    if (isWrite && writesLeft < 0) return Promise.reject(new Error('The function dies here.'));
    return (send as Send).apply(this, args);
  };
  jest.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(dying as never);
});

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse(SENT_AT), doNotFake: [...ALL_BUT_DATE] });
  writesLeft = Number.POSITIVE_INFINITY;
  executions.clear();
  stepFunctions.reset();
  stepFunctions.on(StartExecutionCommand).callsFake(({ name, input }) => {
    if (executions.has(name) && executions.get(name) !== input) {
      throw new ExecutionAlreadyExists({ message: 'taken', $metadata: {} });
    }
    executions.set(name, input);
    return {};
  });
});

afterAll(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  client.destroy();
  database.close();
  database.closeAllConnections();
});

const ALL_BUT_DATE = [
  ...['nextTick', 'queueMicrotask', 'hrtime', 'performance'],
  ...[
    'setImmediate',
    'clearImmediate',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ],
] as never[];

let events = 0;
/** A release that is sent now, in an event of its own. */
function release(releaseId: string, detail: object = {}) {
  events += 1;
  const sent = { id: `event-${events}`, time: new Date().toISOString() };
  return ownRelease({ releaseId, ...detail }, sent);
}

type Answer = { readonly rolloutId: string; readonly result: string };
let lines: unknown[];
async function take(payload: object): Promise<Answer> {
  let answer: unknown;
  isStarting = true;
  const output = await captureOutput(async () => {
    answer = await handler(payload);
  }).finally(() => {
    isStarting = false;
  });
  lines = jsonLines(output);
  return answer as Answer;
}

function later(milliseconds: number): void {
  jest.setSystemTime(Date.now() + milliseconds);
}

async function end(rolloutId: string, outcome: OutcomeKind): Promise<void> {
  const ending = { outcome, cleanup: 'none', reason: 'Any', message: 'Any.' } as const;
  await ledger.withdraw(rolloutId, ending, Date.now());
}

describe('a release that is rolled once', () => {
  test('E02: starts one execution for three events, and the log says which rollout rolls it', async () => {
    const first = await take(release('build-1'));
    later(60_000);
    const others = [await take(release('build-1')), await take(release('build-1'))];

    expect(first.result).toBe('started');
    expect(others).toMatchObject([
      { result: 'duplicate', rolloutId: first.rolloutId },
      { result: 'duplicate', rolloutId: first.rolloutId },
    ]);
    expect([...executions.keys()]).toEqual([first.rolloutId]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        operation: 'start',
        rolloutId: first.rolloutId,
        why: `already rolled by rollout ${first.rolloutId}`,
      }),
    );
    expect((await ledger.list({ runtimeId: 'shop', limit: 9 })).length).toBe(1);
    expect([...used].sort()).toEqual([...START_ONCE_ACTIONS]);
    expect(requests.filter((asked) => !isAllowed(rights.of('start'), asked))).toEqual([]);
    const keys = requests.flatMap(({ context }) => context['dynamodb:leadingkeys'] ?? []);
    expect(new Set(keys.map((key) => key.replace(/#.*/, '')))).toEqual(
      new Set(['release', 'rollout']),
    );
  });

  test('E02: is known by the place that a source of events names, and refused without it', async () => {
    const pushed = (id: string, detail = {}) => imagePush(detail, { id });
    const first = await take(pushed('push-1'));
    expect(await take(pushed('push-2'))).toMatchObject({ ...first, result: 'duplicate' });
    await take(pushed('push-3', { 'image-digest': 'sha256:4567' }));
    expect(executions.size).toBe(2);

    await expect(take(pushed('push-4', { 'image-digest': undefined }))).rejects.toMatchObject({
      name: 'InvalidTrigger',
      message: expect.stringContaining('event.detail.image-digest'),
    });
  });

  test('is another one for another runtime or another version', async () => {
    await take(release('build-2'));
    await take(release('build-2', { runtimeId: 'cart' }));
    await take(release('build-2', { version: 8 }));
    expect(executions.size).toBe(3);
  });

  test.each([
    ['Failed', 2],
    ['Errored', 2],
    ['Succeeded', 1],
    ['Superseded', 1],
    ['Aborted', 1],
  ] as const)('that ended as %s has then been started %s times', async (outcome, times) => {
    const releaseId = `build-${outcome}`;
    const early = release(releaseId);
    const { rolloutId } = await take(release(releaseId));
    later(120_000);
    await end(rolloutId, outcome);
    later(60_000);
    // It was sent before the end, and only comes late.
    expect(await take(early)).toMatchObject({ rolloutId, result: 'duplicate' });
    await take(release(releaseId));
    await take(release(releaseId));
    expect(executions.size).toBe(times);
  });

  test('is rolled again after 24 hours', async () => {
    const { rolloutId } = await take(release('build-3'));
    await end(rolloutId, 'Succeeded');
    later(24 * 3_600_000 - 1);
    expect(await take(release('build-3'))).toMatchObject({ rolloutId, result: 'duplicate' });
    later(1);
    expect(await take(release('build-3'))).toMatchObject({ result: 'started' });
    expect(executions.size).toBe(2);
  });

  test('E01: has one rollout when its events come at the same moment', async () => {
    const payloads = Array.from({ length: 4 }, () => release('build-4'));
    let answers: Answer[] = [];
    await captureOutput(async () => {
      answers = (await Promise.all(payloads.map((one) => handler(one)))) as Answer[];
    });
    expect(new Set(answers.map(({ rolloutId }) => rolloutId)).size).toBe(1);
    expect(answers.filter(({ result }) => result === 'started')).toHaveLength(1);
    expect(executions.size).toBe(1);
  });

  test.each([
    ['before it has noted the release', 0],
    ['before the rollout is in the ledger', 1],
    ['before the execution is started', 2],
  ])(
    'X05: is not lost with a function that dies %s: the next event starts it',
    async (_, writes) => {
      const releaseId = `build-dies-${writes}`;
      writesLeft = writes;
      stepFunctions.on(StartExecutionCommand).rejectsOnce(new Error('The function dies here.'));
      await expect(take(release(releaseId))).rejects.toThrow('dies here');
      expect(executions.size).toBe(0);
      stepFunctions.reset();
      writesLeft = Number.POSITIVE_INFINITY;
      stepFunctions.on(StartExecutionCommand).callsFake(({ name, input }) => {
        executions.set(name, input);
        return {};
      });

      const answer = await take(release(releaseId));
      expect([...executions.keys()]).toEqual([answer.rolloutId]);
      expect(await ledger.readSummary(answer.rolloutId)).toMatchObject({ runtimeId: 'shop' });
    },
  );
});
