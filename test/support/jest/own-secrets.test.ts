import { expect, test } from '@jest/globals';
import { hideKnownSecrets, rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';

test('what one test file uses as a secret is none in the next file of its thread', async () => {
  rememberSecret('token');
  expect(hideKnownSecrets('the token')).toBe('the [hidden]');
  const next = new URL(`./none.test.ts?${Date.now()}`, import.meta.url).href;
  await expect(import(next)).rejects.toThrow('Cannot find module');
  expect(hideKnownSecrets('the token')).toBe('the token');
});
