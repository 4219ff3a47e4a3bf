import { describe, expect, test } from '@jest/globals';
import { guardAuth } from '../../../lib/cli/settings/guard-auth.ts';
import type { AuthSettings } from '../../../lib/contract/auth.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/wire.ts';

const AUTH: AuthSettings = { kind: 'bearer', secret: { file: 'token.txt' } };
const OWN = 'https://endpoints.example.com/runtime';

interface Given {
  readonly own?: string;
  readonly auth?: AuthSettings;
  readonly credentials?: AuthSettings;
  readonly region?: string;
}

function guard(url: string | undefined, { own = OWN, auth = AUTH, ...given }: Given = {}) {
  const { credentials = auth, region } = given;
  const values = { policy: {}, runtimes: {}, wire: DEFAULT_WIRE, endpointUrl: own, auth };
  const settings = new Map([
    ...(url === undefined ? [] : [['--endpoint-url', { value: url, from: 'URL-PLACE' }] as const]),
    ...(region === undefined ? [] : [['--region', { value: region, from: '--region' }] as const]),
  ]);
  const from = 'steproll.config.json, auth';
  const config = { name: 'steproll.config.json', values };
  return guardAuth({ settings: credentials, from }, settings, config);
}

describe('the credentials of a configuration', () => {
  test('are not sent to another service than the one that it names', () => {
    expect(guard('http://127.0.0.1:8080')).toEqual([
      {
        key: null,
        text: "steproll.config.json, auth: it is for https://endpoints.example.com, and is not sent to http://127.0.0.1:8080 (URL-PLACE); give that service's own with STEPROLL_TOKEN or a profile's token_file, or name a configuration of it with --config",
      },
    ]);
    expect(guard('https://endpoints.example.com:8443/runtime')).toHaveLength(1);
    expect(guard('https://endpoints.example.com.evil.example')).toHaveLength(1);
  });

  test.each([OWN, 'https://ENDPOINTS.example.com/other'])('are sent to its own: %s', (url) => {
    expect(guard(url)).toEqual([]);
  });

  test('are for the region that is asked for', () => {
    const own = 'https://endpoints.{region}.example.com';
    expect(guard(own, { own, region: 'eu-central-1' })).toEqual([]);
    const filled = 'https://endpoints.eu-central-1.example.com';
    expect(guard(filled, { own, region: 'eu-central-1' })).toEqual([]);
    expect(
      guard('https://endpoints.us-east-1.example.com', { own, region: 'eu-central-1' }),
    ).toHaveLength(1);
  });

  test('matter only where there are some, a URL to send them to, and nobody gives others', () => {
    const none: AuthSettings = { kind: 'none' };
    expect(guard('http://127.0.0.1:8080', { auth: none })).toEqual([]);
    expect(guard(undefined)).toEqual([]);
    const credentials: AuthSettings = { kind: 'bearer', secret: { environment: 'STEPROLL_TOKEN' } };
    expect(guard('http://127.0.0.1:8080', { credentials })).toEqual([]);
  });
});
