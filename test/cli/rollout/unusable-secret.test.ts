import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runHere } from '../run-here.ts';

// Credentials that cannot be sent are a mistake of somebody, and must not become a rollout that has failed.

const home = mkdtempSync(join(tmpdir(), 'steproll-secret-'));
afterAll(() => rmSync(home, { recursive: true }));

const state = join(home, 'state');
const config = join(home, 'config.json');
/** Nobody listens there, and nobody is asked. */
const URL_OF_NOBODY = 'http://127.0.0.1:9';
const client = {
  kind: 'client-credentials',
  tokenUrl: `${URL_OF_NOBODY}/token`,
  secret: { file: 'client.json' },
};

test.each([
  [
    'a token that no header takes',
    { STEPROLL_TOKEN: 'to ken' },
    undefined,
    2,
    'STEPROLL_TOKEN: the token must be visible ASCII',
  ],
  [
    'a secret file that is not there',
    {},
    { kind: 'bearer', secret: { file: 'nowhere' } },
    3,
    `the secret file ${join(home, 'nowhere')} cannot be read: ENOENT`,
  ],
  [
    'a variable that is not set',
    {},
    { kind: 'bearer', secret: { environment: 'NOT_SET' } },
    3,
    'the environment variable NOT_SET is not set',
  ],
  ['a client without its secret', {}, client, 2, 'must be JSON with "clientId" and "clientSecret"'],
])('%s begins no rollout, and writes nothing', async (_, variables, auth, exit, sentence) => {
  writeFileSync(join(home, 'client.json'), '{ "clientId": "me" }');
  writeFileSync(config, JSON.stringify({ endpointUrl: URL_OF_NOBODY, ...(auth && { auth }) }));
  const args = ['rollout', 'start', 'shop', '--version', '2', '--yes', '--config', config];
  const { code, stdout, stderr } = await runHere(args, {
    STEPROLL_STATE_DIR: state,
    STEPROLL_PROFILES_FILE: join(home, 'profiles'),
    ...variables,
  });
  expect({ code, stdout, stderr }).toEqual({
    code: exit,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  });
  expect(stderr).not.toContain('Rollout ');
  expect(existsSync(state)).toBe(false);
});
