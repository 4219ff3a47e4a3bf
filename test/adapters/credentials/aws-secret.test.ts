import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAwsSecret } from '../../../lib/adapters/credentials/secrets.ts';
import {
  answerJson,
  type FakeSecretsManager,
  refusal,
  SECRET_ARN,
  startSecretsManager,
} from '../../support/secrets-manager.ts';

const MINUTE = 60_000;

let aws: FakeSecretsManager;
let time = 0;

beforeAll(async () => {
  aws = await startSecretsManager();
  Object.assign(process.env, aws.env);
});

beforeEach(() => {
  time = 0;
  aws.requests.length = 0;
  aws.answer('one');
});

afterAll(() => aws.close());

const open = () => createAwsSecret(SECRET_ARN, { now: () => time });

test('the secret under the ARN is read, in the region of the ARN', async () => {
  expect(await open().read({ fresh: false })).toBe('one');
  expect(aws.requests).toEqual([
    {
      body: { SecretId: SECRET_ARN },
      authorization: expect.stringContaining('/eu-central-1/secretsmanager/'),
    },
  ]);
});

test('it is kept for 5 minutes', async () => {
  const secret = open();
  await secret.read({ fresh: false });
  aws.answer('two');
  time = 5 * MINUTE - 1;
  expect(await secret.read({ fresh: false })).toBe('one');
  time = 5 * MINUTE;
  expect(await secret.read({ fresh: false })).toBe('two');
  expect(aws.requests).toHaveLength(2);
});

test('one that has not changed by then is kept for as long once more', async () => {
  const secret = open();
  await secret.read({ fresh: false });
  time = 5 * MINUTE;
  await secret.read({ fresh: false });
  time = 10 * MINUTE - 1;
  expect(await secret.read({ fresh: false })).toBe('one');
  expect(aws.requests).toHaveLength(2);
});

test('H17: a fresh read goes past what is kept, and is kept itself', async () => {
  const secret = open();
  await secret.read({ fresh: false });
  aws.answer('two');
  expect(await secret.read({ fresh: true })).toBe('two');
  expect(await secret.read({ fresh: false })).toBe('two');
  expect(aws.requests).toHaveLength(2);
});

test('many callers at once are one read', async () => {
  const secret = open();
  const reads = Array.from({ length: 20 }, () => secret.read({ fresh: false }));
  expect(new Set(await Promise.all(reads))).toEqual(new Set(['one']));
  expect(aws.requests).toHaveLength(1);
});

describe('SecretUnavailable', () => {
  test.each([
    ['denied', 'AccessDeniedException', 'User: x is not authorized to perform this'],
    ['with its KMS key disabled', 'DecryptionFailure', 'the key is disabled'],
    ['gone', 'ResourceNotFoundException', "Secrets Manager can't find the specified secret."],
  ])('A15: a secret that is %s names the secret and the reason', async (_, name, message) => {
    aws.answer(refusal(name, message));
    await expect(open().read({ fresh: false })).rejects.toMatchObject({
      name: 'SecretUnavailable',
      message: `the secret steproll/token cannot be read: ${name}: ${message}`,
      cause: { name },
    });
    expect(aws.requests).toHaveLength(1);
  });

  test('A15: what was kept is no way out of a refusal', async () => {
    const secret = open();
    await secret.read({ fresh: false });
    aws.answer(refusal('AccessDeniedException', 'no'));
    await expect(secret.read({ fresh: true })).rejects.toMatchObject({ name: 'SecretUnavailable' });
    time = 5 * MINUTE;
    await expect(secret.read({ fresh: false })).rejects.toMatchObject({
      name: 'SecretUnavailable',
    });
  });

  test.each([
    ['fails', refusal('InternalServiceError', 'sorry', 500)],
    ['throttles us', refusal('ThrottlingException', 'Rate exceeded')],
    ['cannot be reached', (response: ServerResponse) => void response.destroy()],
  ])(
    'H17: while Secrets Manager %s, the last secret is used, and the next one is read then',
    async (_, how) => {
      const secret = open();
      await secret.read({ fresh: false });
      aws.answer(how);
      time = 5 * MINUTE;
      expect(await secret.read({ fresh: false })).toBe('one');
      expect(await secret.read({ fresh: true })).toBe('one');
      aws.answer('two');
      expect(await secret.read({ fresh: false })).toBe('two');
    },
  );

  test('a secret that could not be read is read again by the next caller', async () => {
    const secret = open();
    aws.answer(refusal('AccessDeniedException', 'not yet'));
    await expect(secret.read({ fresh: false })).rejects.toThrow('not yet');
    aws.answer('one');
    expect(await secret.read({ fresh: false })).toBe('one');
  });

  test('Secrets Manager that fails is asked twice', async () => {
    aws.answer(refusal('InternalServiceError', 'sorry', 500));
    await expect(open().read({ fresh: false })).rejects.toMatchObject({
      name: 'SecretUnavailable',
      message: expect.stringContaining('InternalServiceError'),
    });
    expect(aws.requests).toHaveLength(2);
  });

  test('Secrets Manager that cannot be reached keeps its cause', async () => {
    aws.answer((response) => response.destroy());
    await expect(open().read({ fresh: false })).rejects.toMatchObject({
      name: 'SecretUnavailable',
      message: expect.stringContaining('socket hang up'),
      cause: { message: expect.stringContaining('socket hang up') },
    });
  });

  test('a binary secret is refused', async () => {
    aws.answer((response) => answerJson(response, 200, { SecretBinary: btoa('one') }));
    await expect(open().read({ fresh: false })).rejects.toMatchObject({
      name: 'SecretUnavailable',
      message: 'the secret steproll/token is binary; store it as text',
    });
  });

  test('an empty secret is refused', async () => {
    aws.answer('');
    await expect(open().read({ fresh: false })).rejects.toThrow('is empty');
  });

  test('an answer that is cut or of the wrong form is not quoted, the secret with it', async () => {
    for (const body of [
      '{"SecretString":"canary',
      'canary',
      '"canary"',
      '{"SecretString":{"canary":1}}',
      '{"SecretString":"x","CreatedDate":"canary"}',
    ]) {
      aws.answer((response) => {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(body);
      });
      const error = await open()
        .read({ fresh: false })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'SecretUnavailable' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
    }
  });
});
