import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openAuth } from '../../../lib/adapters/credentials/authorization.ts';
import type { SecretSource } from '../../../lib/contract/input/secret-source.ts';
import { SECRET_ARN, startSecretsManager } from '../../support/secrets-manager.ts';

test('no credentials: none', () => {
  expect(openAuth({ kind: 'none' })).toEqual({ kind: 'none' });
});

test('a bearer token from the environment', async () => {
  process.env.SOME_TOKEN = 'one';
  expect(await readSecret({ environment: 'SOME_TOKEN' })).toBe('one');
});

test('a bearer token from a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steproll-auth-'));
  await writeFile(join(folder, 'token'), 'one\n');
  expect(await readSecret({ file: join(folder, 'token') })).toBe('one');
  await rm(folder, { recursive: true });
});

test('A15: a bearer token from Secrets Manager, and from nowhere else', async () => {
  process.env.STEPROLL_TOKEN = 'another';
  const aws = await startSecretsManager('one');
  Object.assign(process.env, aws.env);
  expect(await readSecret({ awsSecret: SECRET_ARN })).toBe('one');
  await aws.close();
  await expect(readSecret({ awsSecret: SECRET_ARN })).rejects.toMatchObject({
    name: 'SecretUnavailable',
  });
});

test('client credentials keep their token URL and their scope', () => {
  const settings = {
    kind: 'client-credentials',
    tokenUrl: 'https://id.example.com/token/',
    scope: 'endpoints',
    secret: { environment: 'SOME_CLIENT' },
  } as const;
  expect(openAuth(settings)).toEqual({ ...settings, secret: { read: expect.any(Function) } });
});

function readSecret(secret: SecretSource): Promise<string> {
  const auth = openAuth({ kind: 'bearer', secret });
  if (auth.kind !== 'bearer') throw new Error(`${auth.kind} instead of bearer`);
  return auth.secret.read({ fresh: false });
}
