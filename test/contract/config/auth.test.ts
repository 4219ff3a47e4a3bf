import { describe, expect, test } from '@jest/globals';
import { authSchema } from '../../../lib/contract/config/auth.ts';
import { parseInput } from '../../../lib/contract/input/parse-input.ts';
import { SECRET_ARN } from '../../support/secrets-manager.ts';

const parse = (value: unknown) => parseInput(authSchema, value, 'auth');
const tokenUrl = 'https://id.example.com/oauth/token';

describe('taken as it is', () => {
  test.each([
    { kind: 'none' },
    { kind: 'bearer', secret: { environment: 'SHOP_TOKEN' } },
    { kind: 'bearer', secret: { file: 'token' } },
    { kind: 'bearer', secret: { awsSecret: SECRET_ARN } },
    { kind: 'bearer', secret: { awsSecret: SECRET_ARN.replace('arn:aws:', 'arn:aws-us-gov:') } },
    {
      kind: 'bearer',
      secret: {
        awsSecret: SECRET_ARN,
        kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b',
      },
    },
    { kind: 'client-credentials', tokenUrl, secret: { environment: 'CLIENT' } },
    // To some token endpoints a slash at the end matters.
    { kind: 'client-credentials', tokenUrl: `${tokenUrl}/`, secret: { file: 'client' } },
    {
      kind: 'client-credentials',
      tokenUrl: 'http://127.0.0.1:8080/token',
      scope: 'endpoints:read endpoints:write',
      secret: { file: 'client' },
    },
  ])('%j', (auth) => {
    expect(parse(auth)).toEqual(auth);
  });
});

describe('refused, with the place of every mistake', () => {
  test.each([
    [{}, ['kind: missing; use one of "none", "bearer", "client-credentials"']],
    [{ kind: 'basic' }, ['kind: "basic" is not allowed; use one of "none"']],
    [{ kind: 'none', secret: { file: 'x' } }, ['secret: unknown key']],
    [{ kind: 'bearer' }, ['secret: missing; use an object']],
    [bearer({}), ['use one of "awsSecret", "environment", "file"']],
    [bearer({ file: 'x', environment: 'X' }), ['use one of "awsSecret", "environment", "file"']],
    [bearer({ file: '' }), ['secret.file: ']],
    [bearer({ environment: 'NO-NAME' }), ['secret.environment: ', 'environment variable']],
    [bearer({ file: 'x', kmsKey: 'x' }), ['secret.kmsKey: ', 'the ARN of a key']],
    [bearer({ file: 'x', value: 'x' }), ['secret.value: unknown key']],
    [
      { kind: 'client-credentials', tokenUrl: 'ftp://id.example.com', scope: 'a  b', secret: {} },
      ['3 mistakes', 'tokenUrl: ', 'https://', 'scope: "a  b"', 'secret: '],
    ],
    [client('https://joe:x@id.example.com'), ['a user name or password is not allowed']],
    [client('https://id.example.com/?a=b'), ['a query is not allowed']],
    [client('https://169.254.169.254/token'), ['the address 169.254.169.254 is not allowed']],
    [client('token'), ['not a URL']],
  ])('%j', (auth, texts) => {
    for (const text of texts) expect(() => parse(auth)).toThrow(text);
  });

  test('a key of KMS belongs to a secret in Secrets Manager', () => {
    const kmsKey = 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b';
    expect(() => parse(bearer({ file: 'x', kmsKey }))).toThrow('use it with "awsSecret" alone');
  });

  test.each([
    'steproll/token',
    SECRET_ARN.replace(/-AbCdEf$/, ''),
    `${SECRET_ARN}*`,
    '*',
    SECRET_ARN.replace('secretsmanager', 'ssm'),
    SECRET_ARN.replace('123456789012', ''),
    ` ${SECRET_ARN}`,
    `${SECRET_ARN}\n`,
  ])('as the ARN of a secret: %j', (awsSecret) => {
    expect(() => parse(bearer({ awsSecret }))).toThrow('use the complete ARN of a secret');
  });

  test('whatever stands where a secret is named is not shown: it may be the secret', () => {
    for (const secret of ['canary', { awsSecret: 'canary' }, { environment: '-canary' }, 7]) {
      expect(() => parse({ kind: 'bearer', secret })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('canary') }),
      );
    }
  });
});

function bearer(secret: object): object {
  return { kind: 'bearer', secret };
}

function client(url: string): object {
  return { kind: 'client-credentials', tokenUrl: url, secret: { file: 'client' } };
}
