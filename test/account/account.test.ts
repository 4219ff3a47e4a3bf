import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { DEFAULT_WIRE, parseEndpointPage } from '../../lib/contract/service/wire.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { POLICY } from './boxes.ts';
import { createService } from './service.cjs';
import { sideStack } from './side-stack.ts';
import { whatToTry } from './test-states.ts';

// The rest needs an account.

const client = new DynamoDBClient({ region: 'eu-central-1' });
const database = mockClient(client);
const items = new Map<string, unknown>();
let now = 0;
const service = createService(client, { TABLE: 'table', TOKEN: 'canary' }, () => now);

beforeEach(() => {
  items.clear();
  now = 1_000_000;
  database.reset();
  database.on(GetItemCommand).callsFake(({ Key }) => ({ Item: items.get(Key.id.S) }));
  database.on(PutItemCommand).callsFake(({ Item }) => {
    items.set(Item.id.S, Item);
  });
});

function call(method: string, path = '', query: Readonly<Record<string, string>> = {}) {
  return service({
    rawPath: `/agent-runtimes/shop/endpoints${path}`,
    headers: { authorization: 'Bearer canary' },
    queryStringParameters: query,
    requestContext: { http: { method } },
  });
}

async function list() {
  const { statusCode, body } = await call('GET', '', { page: '1', size: '100' });
  expect(statusCode).toBe(200);
  return parseEndpointPage(JSON.parse(body), DEFAULT_WIRE, 'list').endpoints;
}

describe('the endpoint service that is brought along', () => {
  test('rolls an endpoint within 20 seconds, and its list is understood', async () => {
    await call('PUT', '/web-1', { version: '2' });
    expect((await list())[0]).toMatchObject({ name: 'web-1', targetVersion: 2, liveVersion: 1 });

    now += 20_000;
    const [first, second] = await list();
    expect(first).toMatchObject({ targetVersion: 2, liveVersion: 2, status: 'ACTIVE' });
    expect(second).toMatchObject({ targetVersion: 1, liveVersion: 1, status: 'ACTIVE' });
  });

  test('has a bad version, from which it goes back', async () => {
    await call('PUT', '/web-1', { version: '13' });
    now += 20_000;
    expect((await list())[0]).toMatchObject({ liveVersion: 1, status: 'ERROR' });
    await call('PUT', '/web-1', { version: '1' });
    now += 20_000;
    expect((await list())[0]).toMatchObject({ liveVersion: 1, status: 'ACTIVE' });
  });

  test('lets nobody in without its token', async () => {
    const http = { method: 'GET' };
    const answer = await service({ rawPath: '/', headers: {}, requestContext: { http } });
    expect(answer.statusCode).toBe(401);
  });

  test('is in its template', () => {
    expect(sideStack('code')).toMatchObject({
      Resources: { Service: { Properties: { Code: { ZipFile: 'code' } } } },
    });
  });
});

test('the policy of the tries is valid', () => {
  expect(() =>
    parseConfig({
      endpointUrl: 'https://a.example',
      policies: { default: POLICY },
      runtimes: { shop: {} },
    }),
  ).not.toThrow();
});

test('every word of a choice and every wait is tried, and nothing that starts an execution', () => {
  const tried = whatToTry(ROLLOUT_DEFINITION.States);
  const names = new Set(tried.map(({ name }) => name));
  const states = Object.entries<{ readonly Type: string }>(ROLLOUT_DEFINITION.States);
  const ofType = (type: string) => states.filter(([, { Type }]) => Type === type);
  for (const [name] of [...ofType('Wait'), ...ofType('Choice')]) expect(names).toContain(name);
  expect(names).not.toContain('Hand over');
  expect(tried.filter(({ name }) => name === 'What now?').length).toBeGreaterThan(15);
});
