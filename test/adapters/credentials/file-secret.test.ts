import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createFileSecret } from '../../../lib/adapters/credentials/secrets.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-secret-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('reads the file each time', async () => {
  const path = join(folder, 'token');
  const secret = createFileSecret(path);
  await writeFile(path, 'one');
  expect(await secret.read({ fresh: false })).toBe('one');
  await writeFile(path, 'two');
  expect(await secret.read({ fresh: false })).toBe('two');
});

test.each([
  ['one\n', 'one'],
  ['one\r\n', 'one'],
  ['one\n\n', 'one\n'],
  [' one ', ' one '],
  ['\ufeffone', 'one'],
])('C09: of %j only what an editor adds is taken off', async (text, value) => {
  const path = join(folder, 'token');
  await writeFile(path, text);
  expect(await createFileSecret(path).read({ fresh: false })).toBe(value);
});

test('a file that is not there is SecretUnavailable', async () => {
  const path = join(folder, 'token');
  await expect(createFileSecret(path).read({ fresh: false })).rejects.toMatchObject({
    name: 'SecretUnavailable',
    message: `the secret file ${path} cannot be read: ENOENT: no such file or directory, open '${path}'`,
    cause: { code: 'ENOENT' },
  });
});

test('an empty file is SecretUnavailable', async () => {
  const path = join(folder, 'token');
  await writeFile(path, '\n');
  await expect(createFileSecret(path).read({ fresh: false })).rejects.toMatchObject({
    name: 'SecretUnavailable',
    message: `the secret file ${path} is empty`,
  });
});
