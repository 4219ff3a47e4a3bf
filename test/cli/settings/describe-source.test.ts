import { describe, expect, test } from '@jest/globals';
import { type Connecting, describeSource } from '../../../lib/cli/settings/service.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';

const URL = 'http://127.0.0.1:1';

/** Settings of which the URL and the credentials came from these places. */
function prepared(from: string, credentials?: Connecting['credentials']): Connecting {
  return {
    options: { '--endpoint-url': URL, '--debug': false, '--debug-answers': false },
    settings: new Map([
      ['--endpoint-url', { value: URL, from }],
      ['--config', { value: 'FILE', from: '--config' }],
    ]),
    config: { policies: {}, runtimes: {} },
    credentials: credentials ?? { settings: { kind: 'none' }, from: 'default' },
  };
}

describe('where what a call failed with was taken from', () => {
  test.each([
    ['--endpoint-url', 'the command line'],
    ['STEPROLL_ENDPOINT_URL', 'STEPROLL_ENDPOINT_URL'],
    ['profile "prod" in FILE, endpoint_url', 'profile "prod" in FILE, endpoint_url'],
    ['steproll.config.json, endpointUrl', 'steproll.config.json, endpointUrl'],
  ])('a URL from %s', (from, place) => {
    expect(describeSource(ErrorName.UpstreamTransient, prepared(from))).toEqual([
      `The endpoint URL is ${URL}, from ${place}.`,
    ]);
  });

  test('credentials, or that there are none', () => {
    const secret = { environment: 'STEPROLL_TOKEN' };
    const from = 'STEPROLL_TOKEN';
    const credentials = { settings: { kind: 'bearer', secret }, from } as const;
    expect(describeSource(ErrorName.UpstreamAuth, prepared('x', credentials))).toEqual([
      'The credentials are from STEPROLL_TOKEN.',
    ]);
    expect(describeSource(ErrorName.UpstreamAuth, prepared('x'))).toEqual([
      expect.stringMatching(/^No credentials were sent: set STEPROLL_TOKEN, /),
    ]);
  });

  test('requests to AgentCore were signed, so no token is missing', () => {
    const credentials = { settings: { kind: 'aws' }, from: 'the AWS SDK' } as const;
    expect(describeSource(ErrorName.UpstreamAuth, prepared('x', credentials))).toEqual([
      expect.stringMatching(/^The request was signed with the credentials that the AWS SDK finds/),
    ]);
  });

  test('nothing is said of an error that they do not explain', () => {
    expect(describeSource(ErrorName.LeaseHeld, prepared('x'))).toEqual([]);
  });

  test('C11: a file name cannot send escape codes to the terminal', () => {
    expect(describeSource(ErrorName.UpstreamTls, prepared('\u001b[2J')).join('')).not.toContain(
      '\u001b',
    );
  });
});
