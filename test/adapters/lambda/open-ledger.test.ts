import { beforeEach, expect, jest, test } from '@jest/globals';

const clients: object[] = [];
let isSdkLoaded = false;
let answer: () => Promise<object>;
let isBroken: boolean;

beforeEach(() => {
  jest.resetModules();
  clients.length = 0;
  isSdkLoaded = false;
  answer = () => Promise.resolve({});
  isBroken = false;
  jest.unstable_mockModule('@aws-sdk/client-dynamodb', () => {
    isSdkLoaded = true;
    return {
      ConditionalCheckFailedException: class extends Error {},
      TransactionCanceledException: class {},
      TransactionConflictException: class {},
      DynamoDBClient: class {
        constructor(options: object) {
          if (isBroken) throw new Error('no credentials');
          clients.push(options);
        }
      },
    };
  });
  jest.unstable_mockModule('@aws-sdk/lib-dynamodb', () => ({
    DynamoDBDocumentClient: { from: () => ({ send: () => answer() }) },
    BatchGetCommand: class {},
    GetCommand: class {},
    PutCommand: class {},
    TransactWriteCommand: class {},
    UpdateCommand: class {},
    paginateQuery: () => [],
  }));
});

async function openLedger() {
  return (await import('../../../lib/adapters/lambda/record-context.ts')).openLedger('rollouts');
}

const runtime = (runtimeId: string) => ({ runtimeId, endpointUrl: 'https://e.example.com' });

test('the first calls load the AWS SDK, and share one client that does not wait for ever', async () => {
  const ledger = await openLedger();
  expect(isSdkLoaded).toBe(false);

  const requests = await Promise.all([
    ledger.findLatestRequest(runtime('a')),
    ledger.findLatestRequest(runtime('b')),
  ]);

  expect(requests).toEqual([null, null]);
  expect(clients).toEqual([
    {
      requestHandler: expect.objectContaining({
        connectionTimeout: 2_000,
        requestTimeout: 5_000,
        throwOnRequestTimeout: true,
      }),
    },
  ]);
});

test('a call that could not connect is no reason for the next one not to try', async () => {
  const ledger = await openLedger();
  isBroken = true;
  await expect(ledger.findLatestRequest(runtime('a'))).rejects.toThrow(/no credentials/);
  isBroken = false;

  expect(await ledger.findLatestRequest(runtime('a'))).toBeNull();
});

test('what the SDK throws has the name of the ledger, and says which table', async () => {
  const cause = Object.assign(new Error('no such table'), { name: 'ResourceNotFoundException' });
  answer = () => Promise.reject(cause);
  const ledger = await openLedger();

  await expect(ledger.readSummary('r-1')).rejects.toMatchObject({
    name: 'LedgerUnavailable',
    message:
      'The ledger table rollouts cannot be read or written: ResourceNotFoundException: no such table',
    cause,
  });
});
