import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { connectStepFunctions } from '../../../lib/adapters/lambda/connect-step-functions.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { MACHINE_ARN } from '../../support/status-change.ts';

/** What Step Functions answers to every start. */
let answer: readonly [status: number, body: object];
let starts = 0;
const server = createServer((_, response) => {
  starts += 1;
  const [status, body] = answer;
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(body));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SFN: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
});

beforeEach(() => {
  starts = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const start = () => connectStepFunctions()(MACHINE_ARN, 'child-1', { schemaVersion: 1 });

test.each([
  ['ThrottlingException', ErrorName.UpstreamThrottled],
  ['AccessDeniedException', ErrorName.UpstreamAuth],
])('A02: after %s a start is not tried again here, so nothing was started', async (name, known) => {
  answer = [400, { __type: name, message: 'no' }];
  await expect(start()).rejects.toMatchObject({ name: known });
  expect(starts).toBe(1);
});

test('A02: after an answer that says nothing, nobody knows whether it was started', async () => {
  answer = [500, { __type: 'InternalFailure' }];
  await expect(start()).rejects.toMatchObject({ name: 'InternalFailure' });
  expect(starts).toBe(1);
});

test.each([
  ['is new', [200, { executionArn: 'arn', startDate: 0 }]],
  ['is there already', [400, { __type: 'ExecutionAlreadyExists', message: 'taken' }]],
] as const)('an execution that %s has been started', async (_, said) => {
  answer = said;
  await start();
  expect(starts).toBe(1);
});
