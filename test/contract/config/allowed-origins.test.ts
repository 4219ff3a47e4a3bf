import { describe, expect, test } from '@jest/globals';
import { checkOrigins } from '../../../lib/contract/config/allowed-origins.ts';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';

const SERVICE = 'https://endpoints.example.com';

describe('without a list', () => {
  test.each([
    'https://endpoints.example.com/runtime',
    'https://endpoints.example.com:8443',
    'https://10.example.com',
    'https://localhost.example.com',
  ])('C06: %s is a host name over https', (endpointUrl) => {
    expect(() => check({ endpointUrl })).not.toThrow();
  });

  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/runtime', 'http://localhost:8080'],
    ['https://localhost', 'https://localhost'],
    ['https://LOCALHOST.', 'https://localhost.'],
    ['https://service.localhost', 'https://service.localhost'],
    ['https://10.0.0.5/runtime', 'https://10.0.0.5'],
    ['https://[fd00::1]:8443', 'https://[fd00::1]:8443'],
  ])('C06: %s is refused, and the sentence says how to allow it', (endpointUrl, origin) => {
    expect(() => check({ endpointUrl })).toThrow(
      `is not allowed; use https and a host name, or allow ${origin} in the context "steproll:allowedOrigins"`,
    );
    expect(() => check({ endpointUrl }, [origin])).not.toThrow();
  });
});

describe('with a list', () => {
  test.each([
    ['https://endpoints.example.com:8443'],
    ['https://endpoints.example.com.evil.example'],
    ['https://www.endpoints.example.com'],
  ])('another origin is refused: %s', (endpointUrl) => {
    expect(() => check({ endpointUrl }, [SERVICE])).toThrow(
      `endpointUrl: "${endpointUrl}" is not allowed; the context "steproll:allowedOrigins" has ${SERVICE}`,
    );
  });

  test('an allowed one is taken, whatever its path', () => {
    expect(() => check({ endpointUrl: `${SERVICE}/runtime` }, [SERVICE])).not.toThrow();
  });

  test('the place that has the tokens has to stand in it too, and both mistakes are told at once', () => {
    const auth = {
      kind: 'client-credentials',
      tokenUrl: 'https://login.example.com/token',
      secret: { file: 'client.json' },
    };
    const evil = { endpointUrl: 'https://evil.example', auth };

    expect(() => check(evil, [SERVICE, 'https://login.example.com'])).toThrow(/1 mistake:/);
    expect(() => check({ endpointUrl: SERVICE, auth }, [SERVICE])).toThrow(
      'auth.tokenUrl: "https://login.example.com/token" is not allowed',
    );
    expect(() => check(evil, [SERVICE])).toThrow(/2 mistakes:/);
  });

  test('the command line gives it as a text with commas', () => {
    const list = `https://login.example.com,${SERVICE}`;
    expect(() => check({ endpointUrl: SERVICE }, list)).not.toThrow();
    expect(() => check({ endpointUrl: 'https://evil.example' }, list)).toThrow(/not allowed/);
  });

  test('an empty one allows nothing', () => {
    expect(() => check({ endpointUrl: SERVICE }, [])).toThrow(/has no origin$/);
  });

  test.each([
    [[`${SERVICE}/`]],
    [[`${SERVICE}/runtime`]],
    [['endpoints.example.com']],
    [['*']],
    [['https://*.example.com']],
    [''],
    [{}],
    [[17]],
  ])('what is no list of origins is refused: %j', (allowed) => {
    expect(() => check({ endpointUrl: SERVICE }, allowed)).toThrow(
      expect.objectContaining({
        name: ErrorName.InvalidInput,
        message: expect.stringMatching(
          /^Invalid context of the CDK app, 1 mistake:\n {2}\["steproll:allowedOrigins"\]/,
        ),
      }),
    );
  });
});

function check(config: object, allowed?: unknown): void {
  checkOrigins(parseConfig(config), allowed);
}
