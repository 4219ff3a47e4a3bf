import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended, killPrograms, startProgram } from './program-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-no-home-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});
afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** A container that runs under a number that belongs to no user: the system has no answer. */
const NOBODY = `import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.homedir = os.userInfo = () => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  syncBuiltinESMExports();`;

const HOMELESS = {
  'no user and no HOME': {
    HOME: '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOBODY)}`,
  },
  'an empty HOME': { HOME: '' },
} as const;

test('with a home that is no folder, as accounts of daemons have it, what needs none works', async () => {
  const args = `agent runtime endpoint list shop -o id --endpoint-url ${server.url}`.split(' ');
  const all = { HOME: '/dev/null', STEPROLL_STATE_DIR: '' };
  expect(await ended(startProgram(folder, args, 'steproll', all))).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\S+\n$/),
    stderr: '',
  });
});

const NO_STATE =
  'There is no home folder for the history and the locks of rollouts: name a folder for them with STEPROLL_STATE_DIR.\n';

describe.each(Object.entries(HOMELESS))('with %s', (_, variables) => {
  const run = (words: string, state = '') => {
    const all = { ...variables, STEPROLL_STATE_DIR: state };
    return ended(startProgram(folder, words.split(' '), 'steproll', all));
  };

  test.each([
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['completion bash', /steproll/],
    ['agent runtime endpoint list shop -o id', /^\S+\n$/],
  ])('what needs no state works: %s', async (words, expected) => {
    const url = words.startsWith('agent') ? ` --endpoint-url ${server.url}` : '';
    expect(await run(words + url)).toEqual({
      code: 0,
      stdout: expect.stringMatching(expected),
      stderr: '',
    });
  });

  test('a rollout works where STEPROLL_STATE_DIR is set, and is found there', async () => {
    const how = '--version 2 --bake 0 --poll 1 --yes -o id';
    const state = join(folder, 'state');
    const started = await run(`rollout start shop ${how} --endpoint-url ${server.url}`, state);
    expect(started.stderr).toContain('Rollout ');
    const listed = await run('rollout list -o id', state);
    expect(listed.stdout).toContain(started.stdout);
    expect(started.stdout).not.toBe('');
  });

  test.each(['rollout list', 'rollout show x', 'release publish shop --version 2', 'console'])(
    'what needs the state asks for it, in one sentence, and writes nothing: %s: exit 2',
    async (words) => {
      const before = readdirSync(folder);
      expect(await run(words)).toEqual({ code: 2, stdout: '', stderr: NO_STATE });
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  test('a profile that is named: its file has to be named, too', async () => {
    expect(await run('agent runtime endpoint list shop --profile prod')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '  --profile: there is no home folder, so name the file with STEPROLL_PROFILES_FILE\n',
      ),
    });
  });

  test('AWS is asked with what the environment says', async () => {
    const { code, stderr } = await run('rollout list --engine aws');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('Region is missing'),
    });
  });
});
