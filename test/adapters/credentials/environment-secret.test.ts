import { expect, test } from '@jest/globals';
import { createEnvironmentSecret } from '../../../lib/adapters/credentials/secrets.ts';

test('reads the variable each time', async () => {
  const environment = { STEPROLL_TOKEN: 'one' };
  const secret = createEnvironmentSecret('STEPROLL_TOKEN', environment);
  expect(await secret.read({ fresh: false })).toBe('one');
  environment.STEPROLL_TOKEN = 'two';
  expect(await secret.read({ fresh: true })).toBe('two');
});

test.each([undefined, ''])('a variable of %j is SecretUnavailable', async (value) => {
  const secret = createEnvironmentSecret('STEPROLL_TOKEN', { STEPROLL_TOKEN: value, OTHER: 'x' });
  await expect(secret.read({ fresh: false })).rejects.toMatchObject({
    name: 'SecretUnavailable',
    message: 'the environment variable STEPROLL_TOKEN is not set',
  });
});

test('C09: what cannot be a token is handed on as it is, for the client to refuse', async () => {
  const secret = createEnvironmentSecret('STEPROLL_TOKEN', { STEPROLL_TOKEN: 'one\n' });
  expect(await secret.read({ fresh: false })).toBe('one\n');
});
