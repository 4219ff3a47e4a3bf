import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readEnvironment } from '../../../lib/adapters/machine/environment.ts';
import { loadSettings } from '../../../lib/cli/settings/load-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-settings-'));
const path = (name: string) => join(folder, name);
const auth = { kind: 'bearer', secret: { environment: 'OURS' } };

beforeAll(() => {
  writeFileSync(
    path('profiles'),
    [
      '[default]',
      'region = eu-1',
      '[prod]',
      'endpoint_url = https://{region}.prod.example',
      'config = prod.json',
      'token_file = token',
      '[east]',
      'region = east-1',
      '[wrong]',
      'endpont_url = https://wrong.example',
    ].join('\n'),
  );
  writeFileSync(
    path('prod.json'),
    JSON.stringify({ region: 'us-2', auth, policies: { default: { bakeSeconds: 7 } } }),
  );
  writeFileSync(path('empty.json'), '{}');
  writeFileSync(
    path('wrong.json'),
    JSON.stringify({ policies: { default: { bakeSeconds: -1 } }, regoin: 'x' }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

async function load(given: Record<string, unknown> = {}, variables: Record<string, string> = {}) {
  const environment = readEnvironment({ STEPROLL_PROFILES_FILE: path('profiles'), ...variables });
  const loaded = await loadSettings({ '--config': path('prod.json'), ...given }, environment);
  return { ...loaded, mistakes: loaded.mistakes.map(({ text }) => text) };
}

describe('settings from files', () => {
  test('the default profile is taken when nobody names one', async () => {
    const { settings, mistakes } = await load({ '--config': path('empty.json') });
    expect(mistakes).toEqual([]);
    expect(settings.get('--region')).toEqual({
      value: 'eu-1',
      from: `profile "default" in ${path('profiles')}, region`,
    });
  });

  test.each([
    ['--config, and nobody named the profile', { '--config': 'prod.json' }, {}, 'us-2'],
    ['STEPROLL_CONFIG, and nobody named the profile', {}, { STEPROLL_CONFIG: 'prod.json' }, 'us-2'],
    [
      '--config, and STEPROLL_PROFILE',
      { '--config': 'prod.json' },
      { STEPROLL_PROFILE: 'east' },
      'us-2',
    ],
    [
      'STEPROLL_CONFIG, and STEPROLL_PROFILE',
      {},
      { STEPROLL_CONFIG: 'prod.json', STEPROLL_PROFILE: 'east' },
      'east-1',
    ],
    ['--config, and --profile', { '--config': 'prod.json', '--profile': 'east' }, {}, 'east-1'],
    [
      'STEPROLL_CONFIG, and --profile',
      { '--profile': 'east' },
      { STEPROLL_CONFIG: 'prod.json' },
      'east-1',
    ],
  ])('what was named nearer goes first: %s', async (_, given, variables, region) => {
    const inFolder = (said: Record<string, string | undefined>) =>
      Object.fromEntries(
        Object.entries(said).map(([key, name]) => [key, name === 'prod.json' ? path(name) : name]),
      ) as Record<string, string>;
    const { settings } = await load(
      { '--config': undefined, ...inFolder(given) },
      inFolder(variables),
    );
    expect(settings.get('--region')?.value).toBe(region);
  });

  test('a profile may name the configuration, seen from its own folder', async () => {
    const { settings, config } = await load({ '--profile': 'prod', '--config': undefined });
    expect(config.policies).toEqual({ default: { bakeSeconds: 7 } });
    expect(settings.get('--region')).toEqual({
      value: 'us-2',
      from: `${path('prod.json')}, region`,
    });
  });

  test('what it names goes before the environment where the command line names the profile, and else after it', async () => {
    const regionWith = async (given: object, variables: object = {}) => {
      const all = { STEPROLL_REGION: 'us-9', ...variables };
      const { settings } = await load({ '--config': undefined, ...given }, all);
      return settings.get('--region')?.value;
    };
    expect(await regionWith({ '--profile': 'prod' })).toBe('us-2');
    expect(await regionWith({}, { STEPROLL_PROFILE: 'prod' })).toBe('us-9');
  });

  test('an option names the configuration before the profile does', async () => {
    const { mistakes } = await load({ '--profile': 'prod', '--config': path('wrong.json') });
    expect(mistakes).toEqual([
      expect.stringContaining(
        `${path('wrong.json')}, policies.default.bakeSeconds: -1 is not allowed`,
      ),
      `${path('wrong.json')}, regoin: unknown key (did you mean region?)`,
    ]);
  });

  test('the default profile may be missing', async () => {
    expect((await load({}, { STEPROLL_PROFILES_FILE: path('nobody') })).mistakes).toEqual([]);
  });

  test('a profile that somebody names must be there; the ones that are there are named', async () => {
    expect((await load({}, { STEPROLL_PROFILE: 'prd' })).mistakes).toEqual([
      `STEPROLL_PROFILE: there is no profile "prd" in ${path('profiles')} (did you mean prod?); it has default, prod, east, wrong`,
    ]);
    expect((await load({ '--profile': '__proto__' })).mistakes).toHaveLength(1);
  });

  test('a configuration that somebody names must be there', async () => {
    expect((await load({ '--config': path('nobody.json') })).mistakes).toEqual([
      expect.stringMatching(/^--config: Cannot read .*nobody\.json/),
    ]);
  });

  test('C04: an unknown key in a profile is a mistake', async () => {
    expect((await load({ '--profile': 'wrong' })).mistakes).toEqual([
      `profile "wrong" in ${path('profiles')}, endpont_url: unknown key (did you mean endpoint_url?)`,
    ]);
  });

  test.each([
    ['STEPROLL_TOKEN first', 'prod', { STEPROLL_TOKEN: 'canary' }, 'STEPROLL_TOKEN'],
    ["then the profile's token file", 'prod', {}, 'token_file'],
    ['then the configuration', 'default', {}, 'auth'],
  ])('credentials: %s', async (_, profile, variables, from) => {
    const { credentials } = await load(
      { '--profile': profile },
      variables as Record<string, string>,
    );
    expect(credentials.from.endsWith(from)).toBe(true);
    expect(JSON.stringify(credentials)).not.toContain('canary');
  });

  test('credentials: none when nobody has any', async () => {
    const { credentials } = await load({ '--config': path('empty.json') });
    expect(credentials.settings).toEqual({ kind: 'none' });
  });
});

test('a secret of a check or a query is in a file that is seen from the folder of the configuration', async () => {
  const check = {
    name: 'smoke',
    url: 'https://checks.example.com',
    secret: { file: 'keys/check' },
  };
  const auth = { kind: 'basic', secret: { file: 'keys/login' } };
  const query = { name: 'errors', url: 'https://p.example.com', query: 'up', above: 1, auth };
  const policy = { verify: { checks: [check], prometheus: [query] } };
  writeFileSync(
    path('checks.json'),
    JSON.stringify({
      policies: { default: policy, shop: policy },
      runtimes: { shop: { policy: 'shop' } },
    }),
  );
  const { config, mistakes } = await load({ '--config': path('checks.json') });
  expect(mistakes).toEqual([]);
  for (const { verify } of Object.values(config.policies)) {
    expect(verify?.checks.map(({ secret }) => secret)).toEqual([{ file: path('keys/check') }]);
    const logins = verify?.prometheus.map((one) => one.auth?.secret);
    expect(logins).toEqual([{ file: path('keys/login') }]);
  }
});
