import { describe, expect, test } from '@jest/globals';
import { chooseCredentials } from '../../../lib/cli/settings/credentials.ts';
import type { ConfigFile, Profile, ProfileFile } from '../../../lib/cli/settings/settings.ts';
import type { AuthSettings } from '../../../lib/contract/config/auth.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/service/wire.ts';

const AUTH: AuthSettings = { kind: 'bearer', secret: { file: 'token.txt' } };
const OWN = 'https://endpoints.example.com/runtime';
const OTHER = 'http://127.0.0.1:8080';

function config(endpointUrl: string | undefined = OWN, auth: AuthSettings = AUTH): ConfigFile {
  const values = { policies: {}, runtimes: {}, wire: DEFAULT_WIRE, endpointUrl, auth };
  return { kind: 'config', name: '/etc/prod.json', isNamed: true, isTyped: false, values };
}

function profile(values: Profile = { endpoint_url: OWN }, isNamed = true): ProfileFile {
  return {
    kind: 'profile',
    name: 'profile "p"',
    isNamed,
    isTyped: false,
    values: { token_file: '/token', ...values },
  };
}

function choose(
  files: readonly (ConfigFile | ProfileFile)[],
  url: string | undefined,
  { region, hasToken = false }: { region?: string; hasToken?: boolean } = {},
) {
  const settings = new Map([
    ...(url === undefined ? [] : [['--endpoint-url', { value: url, from: 'URL-PLACE' }] as const]),
    ...(region === undefined ? [] : [['--region', { value: region, from: '--region' }] as const]),
  ]);
  return chooseCredentials(hasToken, files, settings);
}

describe('where the service is AgentCore', () => {
  test.each([
    ['a token', [], true, 'STEPROLL_TOKEN'],
    ['that of a profile', [profile()], false, 'profile "p", token_file'],
    ['auth of a configuration', [config()], false, '/etc/prod.json, auth'],
  ])('%s is left out and said to be, and never a mistake', (_, files, hasToken, from) => {
    const settings = new Map([['--service', { value: 'agentcore', from: '--service' }]]);
    expect(chooseCredentials(hasToken, files, settings)).toEqual({
      credentials: {
        settings: { kind: 'aws' },
        from: 'the AWS SDK',
        leftOut: `${from}: it is not sent, because the AWS SDK signs with credentials of AWS`,
      },
      mistake: null,
    });
  });
});

describe('the credentials of a file', () => {
  test.each([
    ['a configuration', config(), '/etc/prod.json, auth'],
    ['a profile that somebody named', profile(), 'profile "p", token_file'],
  ])('%s: are not sent to another service than its own', (_, file, from) => {
    expect(choose([file], OTHER).mistake).toBe(
      `${from}: it is for https://endpoints.example.com, and is not sent to http://127.0.0.1:8080 (URL-PLACE); give that service's own with STEPROLL_TOKEN, or name a profile or a configuration of it with --profile or --config`,
    );
    for (const url of [
      'https://endpoints.example.com:8443/runtime',
      'https://endpoints.example.com.evil.example',
    ]) {
      expect(choose([file], url).mistake).not.toBeNull();
    }
    for (const url of [OWN, 'https://ENDPOINTS.example.com/other']) {
      expect(choose([file], url)).toMatchObject({ credentials: { from }, mistake: null });
    }
  });

  test('of the profile that nobody named are left out there, and others take their place', () => {
    const lying = profile({ endpoint_url: OWN }, false);
    const none = choose([lying], OTHER);
    expect(none).toMatchObject({ credentials: { settings: { kind: 'none' } }, mistake: null });
    expect(none.credentials.leftOut).toBe(
      'profile "p", token_file: it is for https://endpoints.example.com, and is not sent to http://127.0.0.1:8080 (URL-PLACE)',
    );
    const others = choose([lying, config(OTHER)], OTHER);
    expect(others.credentials).toMatchObject({ settings: AUTH, from: '/etc/prod.json, auth' });
  });

  test('of a profile are for the service of the configuration that it names, where it has no URL', () => {
    const named = profile({ config: '/etc/prod.json' });
    expect(choose([named, config()], OWN).mistake).toBeNull();
    expect(choose([named, config()], OTHER).mistake).toContain('https://endpoints.example.com');
    expect(choose([config('', { kind: 'none' }), named], OTHER).credentials.from).toContain('auth');
    const another = { ...config(OTHER), name: 'other.json' };
    const { auth: _, ...withoutAuth } = another.values;
    expect(choose([{ ...another, values: withoutAuth }, named], OTHER).mistake).toContain(
      'it is for the service of /etc/prod.json, and is not sent to',
    );
  });

  test('are for any service where the file names none', () => {
    const anywhere = { ...config(), values: { ...config().values, endpointUrl: undefined } };
    expect(choose([anywhere], OTHER)).toMatchObject({
      credentials: { settings: AUTH },
      mistake: null,
    });
    expect(choose([profile({})], OTHER)).toMatchObject({ mistake: null });
  });

  test('are for the region that is asked for', () => {
    const own = 'https://endpoints.{region}.example.com';
    const region = 'eu-central-1';
    expect(choose([config(own)], own, { region }).mistake).toBeNull();
    const filled = 'https://endpoints.eu-central-1.example.com';
    expect(choose([config(own)], filled, { region }).mistake).toBeNull();
    const elsewhere = 'https://endpoints.us-east-1.example.com';
    expect(choose([config(own)], elsewhere, { region }).mistake).not.toBeNull();
  });

  test('matter only where there are some, a URL to send them to, and no token in the environment', () => {
    expect(choose([config(OWN, { kind: 'none' })], OTHER).mistake).toBeNull();
    expect(choose([config()], undefined).mistake).toBeNull();
    const { credentials, mistake } = choose([config(), profile()], OTHER, { hasToken: true });
    expect({ from: credentials.from, mistake }).toEqual({ from: 'STEPROLL_TOKEN', mistake: null });
  });
});
