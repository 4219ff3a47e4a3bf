import { describe, expect, test } from '@jest/globals';
import { guardToken } from '../../../lib/cli/settings/guard-token.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/wire.ts';

const TOKEN = {
  settings: { kind: 'bearer', secret: { environment: 'STEPROLL_TOKEN' } },
  from: 'STEPROLL_TOKEN',
} as const;

function guard(
  { credentials = TOKEN, endpointUrl = 'https://a.example' }: Partial<Given> = {},
  ...named: readonly string[]
) {
  const values = { policy: {}, runtimes: {}, wire: DEFAULT_WIRE, endpointUrl };
  const settings = new Map(named.map((option) => [option, { value: 'x', from: option }]));
  return guardToken(credentials, settings, { name: 'steproll.config.json', values });
}

interface Given {
  readonly credentials: Parameters<typeof guardToken>[0];
  readonly endpointUrl: string | undefined;
}

describe('a token', () => {
  test('is kept from a URL of a file that nobody named, and the way to name it is said', () => {
    expect(guard()).toEqual([
      {
        key: null,
        text: 'steproll.config.json, endpointUrl: STEPROLL_TOKEN is not sent to a URL of a file that was not named; use --config steproll.config.json if you mean it',
      },
    ]);
  });

  test.each(['--config', '--endpoint-url'])('is sent where %s was said', (option) => {
    expect(guard({}, option)).toEqual([]);
  });

  test('matters only where there is one, and a URL to send it to', () => {
    const credentials = { settings: { kind: 'none' }, from: 'default' } as const;
    expect(guard({ credentials })).toEqual([]);
    expect(guardToken(TOKEN, new Map(), undefined)).toEqual([]);
  });
});
